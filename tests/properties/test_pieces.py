"""Proofs of many statements are tried on mutants piece by piece."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from typing import Any

import pytest
from hypothesis import given

from mutproof.analyses.bench import bench, near_parts, parts, pieces
from mutproof.analyses.bench.group import Side
from mutproof.analyses.bench.questions import Questions
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.variant import applied
from mutproof.model.lower import Lowering
from mutproof.model.system import TransitionSystem
from mutproof.solving import certify
from mutproof.solving.solver import Answer
from mutproof.solving.verdict import Certificate
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import accepted, sources
from support.lustre_mutants import BUDGET, options, program_of, variant
from support.profiles import profile


def register(bodies: Sequence[str]) -> str:
    """Return places, each with what it becomes, one property of each, and one of all of them."""
    places = range(len(bodies))
    named = {kind: ", ".join(f"{kind}{n}" for n in places) for kind in "sp"}
    return (
        "node top(a, b: bool) returns (o: bool);\n"
        f"var {named['s']}: int; {named['p']}, q: bool;\nlet\n  o = a;\n"
        + "".join(f"  s{n} = {bodies[n]};\n  p{n} = s{n} <= 1;\n" for n in places)
        + f"  q = {' and '.join(f's{n} <= 1' for n in places)};\n"
        + "".join(f"  --%PROPERTY {one};\n" for one in (*(f"p{n}" for n in places), "q"))
        + "tel;\n"
    )


def shifts(size: int) -> str:
    """Return places of a shift register."""
    return register(["if a then 1 else 0", *(f"0 -> pre s{n}" for n in range(size - 1))])


def mutated(text: str, most: int) -> tuple[TransitionSystem, list[Claim]]:
    """Return a system and mutants of it, all of whose properties are open."""
    found = accepted(text)
    lowering = Lowering(program_of(found))
    system = lowering.system()
    goals = {stated.name for stated in system.properties}
    cases = list[Claim]()
    mutants = enumerate_mutants(found, options("default"))
    for mutant in mutants[:: max(1, len(mutants) // most)]:
        extended, own = variant(lowering, system, mutant)
        if extended.variables == system.variables:
            cases.append(Claim(own, {*goals}))
    return system, cases


def checker(system: TransitionSystem) -> Checker:
    """Return what checks proofs about mutants of a system, and confirms no execution."""
    return Checker(bench.Bench(system, BUDGET, lambda *_: None))


def tried(
    checking: Checker, cases: Sequence[Claim], goals: Collection[str] = (), k: int = 1
) -> None:
    """Try on cases that properties, all or some, hold together, k states long."""
    stated = {
        name: term for name, term in checking.bench.goals.items() if name in goals or not goals
    }
    own = {name: tuple(term for other, term in stated.items() if other != name) for name in stated}
    proofs = [Certificate(k, lemmas, (name,)) for name, lemmas in own.items()]
    for start in range(0, len(cases), bench.BATCH):
        batch = [*cases[start : start + bench.BATCH]]
        checking.establish(batch, [(proof, batch) for proof in proofs])


@pytest.mark.parametrize("goals", [(), ("q",)], ids=["each", "all"])
def test_a_mutant_is_asked_about_what_is_near_it(
    monkeypatch: pytest.MonkeyPatch, goals: Collection[str]
) -> None:
    system, cases = mutated(shifts(parts.LEAST_PARTED), 40)
    monkeypatch.setattr(pieces, "MANY", 10**9)
    tried(checker(system), cases, goals)
    again = [Claim(case.variant, {*case.holds}) for case in cases if "q" in case.holds]
    monkeypatch.undo()
    monkeypatch.setattr(pieces, "AROUND", 8)
    sizes, ask = list[int](), Questions.ask

    def counted(self: Questions, side: Side, *more: Any, **at: Any) -> Answer:
        sizes.append(len(side.unrolling.system.constraints))
        return ask(self, side, *more, **at)

    monkeypatch.setattr(Questions, "ask", counted)
    tried(checker(system), again, goals)
    assert again
    assert not any(case.open for case in again)
    assert max(sizes) * near_parts.SMALL_PART <= len(system.constraints)


class _Places:
    """Write a short row of places with random bodies; used once."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def text(self) -> str:
        return register(["if a then 1 else 0", *(self._body(n) for n in range(1, 9))])

    def _body(self, place: int) -> str:
        one = self._source.choice
        last, other = f"s{place - 1}", f"s{one(range(place))}"
        return one(
            (
                *[f"0 -> pre {last}"] * 4,
                f"{one('01')} -> pre {other}",
                f"if b then {last} else {other}",
                f"0 -> if a then pre {other} else pre s{place}",
                f"0 -> pre (0 -> pre {last})",
                f"{last} * {other}",
                f"0 -> pre {last} + {one('01')} - pre {other}",
            )
        )


@pytest.mark.parametrize("k", [1, 2])
@profile(12)
@given(sources())
def test_what_holds_piece_by_piece_holds(k: int, source: random.Random) -> None:
    system, cases = mutated(_Places(source).text(), 20)
    some, at_once = ([Claim(case.variant, {*case.open}) for case in cases] for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "MANY", 0)
        patch.setattr(bench, "LEAST_PARTED", 0)
        patch.setattr(near_parts, "SMALL_PART", 1)
        patch.setattr(pieces, "AROUND", source.choice((2, 4)))
        checking = checker(system)
        tried(checking, cases, k=k)
        tried(checking, some, {name for name in checking.bench.goals if source.random() < 0.8}, k)
        tried(checking, at_once, {"q"}, k)
    for case in (*cases, *some, *at_once):
        whole = applied(system, case.variant)
        for evidence in [*case.holds.values()][:2]:
            owners = {c.owner for c in whole.constraints if c.digest in evidence.support}
            named = [owner for owner in owners if owner is not None]
            assert certify.certify(whole, evidence.certificate, BUDGET, owners=named).ok
