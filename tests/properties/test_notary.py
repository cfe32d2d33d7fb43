"""The notary: what is false is refused, and each of its checks is there for a reason.

Its own gate is mutated: without any one of its checks something false becomes evidence.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mutproof.analyses.bench.bench import Bench
from mutproof.analyses.checking import certificate_checks, notary
from mutproof.analyses.checking.notary import CandidateKind
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import DeadEnd, Evidence, Fails, Holds
from mutproof.analyses.claims.observation import Observed
from mutproof.analyses.claims.verdict import Equivalent, Gap, Supposed
from mutproof.base.budget import Budget
from mutproof.model import terms
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.bdd.verdict import Holding, Undecided, Violated
from mutproof.solving.verdict import Certificate, Proved
from support import lustre_models
from support.reading import accepted_in

BUDGET = Budget(1_000_000, 30.0)
SOURCES = {
    Path(certificate_checks.__file__): certificate_checks.__name__,
    Path(notary.__file__): "mutated_notary",
}
"""What the notary is made of, and which modules stand for that while a check is missing."""

MODEL = """node top(a: bool) returns (n: int; p, q: bool);
let n = (if a then 1 else 0) + (0 -> pre n); p = n < 2; q = n >= 0;
  assert a or n < 9; --%PROPERTY p; --%PROPERTY q;
tel;
"""
P, Q = Certificate(1, (), ("p",)), Certificate(1, (), ("q",))


def meaning() -> Interpretation:
    program = lustre_models.accepted(MODEL).program
    assert program is not None
    return interpretation(program)


def certificates(module: ModuleType, system: TransitionSystem) -> Iterator[tuple[str, Any]]:
    """Yield what a notary makes of certificates that prove nothing, by how they are handed in."""
    none: frozenset[ElementId] = frozenset()
    everything = frozenset(owner for owner in system.by_owner if owner is not None)
    yield "proved", module.Notary().proved(system, Proved(P, None, "pdr", 1), BUDGET)
    yield "proved by", module.Notary().proved(system, Proved(P, everything, "", 1), BUDGET)
    # True of the model, but not by nothing at all.
    yield "core", module.Notary().proved(system, Proved(Q, none, "pdr", 1), BUDGET)
    yield "resting", module.Notary().resting(system, Q, none, "certificate", budget=BUDGET)
    yield "product", module.Notary().equivalent(system, Supposed("guess", P), BUDGET)
    # What passed on another system, or from more elements, says nothing here.
    known = module.Notary()
    easy = TransitionSystem(system.variables, (), _always(system))
    assert known.check(easy, P, BUDGET).ok
    yield "elsewhere", known.proved(system, Proved(P, None, "pdr", 1), BUDGET)
    whole = module.Notary()
    assert whole.check(system, Q, BUDGET).ok
    yield "from more", whole.proved(system, Proved(Q, none, "pdr", 1), BUDGET)


def _always(system: TransitionSystem) -> Any:
    return tuple(type(p)(p.name, terms.TRUE, p.kind) for p in system.properties)


def checked_together(module: ModuleType, model: Interpretation) -> Iterator[tuple[str, Any]]:
    """Yield what a checker makes of a false certificate on a variant."""
    bench = Bench(model.system(), BUDGET, lambda *_: None)
    case = Claim(Variant("same", frozenset()), {"p", "q"})
    module.Checker(bench).establish([case], [(P, [case])])
    yield "together", case.holds.get("p")


def executions(module: ModuleType, model: Interpretation) -> Iterator[tuple[str, Any]]:
    """Yield what a notary makes of choices that are no execution, or violate nothing."""
    forbidden = Choices((*[{"a": True}] * 9, {"a": False}))
    yield "forbidden", module.Notary().replay(model, forbidden, "bmc")
    quiet = module.Notary().replay(model, Choices(({"a": False},)), "bmc")
    yield "quiet", quiet.violated.get("p")


def beginnings(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield what a notary makes of executions that end, or do not break a property yet."""
    for lie, more, length in (("ending", "& n < 3", 4), ("not yet", "", 3)):
        text = f"MODULE main VAR n : integer; INIT n = 0 TRANS next(n) = n + 1 {more}"
        found = accepted_in("nusmv", f"{text}\nLTLSPEC NAME p := G n < 3\n")
        model = interpretation(found.program)
        steps = Choices(tuple({"n": n} for n in range(length)))
        replayed = module.Notary().replay_part(model, steps, "bmc", part=model.system(), begun="p")
        yield lie, replayed.violated.get("p")


def differences(module: ModuleType, model: Interpretation) -> Iterator[tuple[str, Any]]:
    """Yield what a notary makes of choices on which two sides do the same."""
    compared = (Observed("n"),)
    choices = Choices(({"a": True},))
    yield "same", module.Notary().gap(model.run, model.run, compared, choices, how="bmc")


def diagrams(module: ModuleType, system: TransitionSystem) -> Iterator[tuple[str, Any]]:
    """Yield what a notary makes of answers that are given once."""
    for once, again in (
        (Holding(), Undecided("")),
        (Holding(), Violated(None)),
        (Violated(None), Holding()),
        (Violated(None), None),
    ):
        second = {} if again is None else {"p": again}
        found = module.Notary().twice({"p": once}, lambda s=second: s, lambda n: (system, n))
        yield f"{type(once).__name__}, then {type(again).__name__}", found.get("p")


def believed(module: ModuleType) -> set[str]:
    """Return what a notary believes of what is false."""
    model = meaning()
    system = model.system()
    return {
        lie
        for made in (
            certificates(module, system),
            checked_together(module, model),
            executions(module, model),
            beginnings(module),
            differences(module, model),
            diagrams(module, system),
        )
        for lie, evidence in made
        if evidence is not None
    }


def test_nothing_false_is_believed() -> None:
    assert set() == believed(notary)


def test_what_is_true_becomes_evidence() -> None:
    model, known = meaning(), notary.Notary()
    system = model.system()
    by_k = known.proved(system, Proved(Q, None, "k-induction", 1), BUDGET)
    assert isinstance(by_k, Holds)
    replayed = known.replay(model, Choices(({"a": True}, {"a": True})), "bmc")
    assert replayed is not None
    assert {"p": 1} == {name: fails.step for name, fails in replayed.violated.items()}
    found = known.twice({"q": Holding()}, lambda: {"q": Holding()}, lambda n: (system, n))
    assert isinstance(found["q"], Holds)
    assert not known.refused


def test_what_is_refused_is_counted() -> None:
    known = notary.Notary()
    system = meaning().system()
    known.proved(system, Proved(P, None, "pdr", 1), BUDGET)
    known.twice({"p": Holding()}, dict, lambda n: (system, n))
    assert {CandidateKind.CERTIFICATE: 1, CandidateKind.DIAGRAM: 1} == dict(known.refused)


CHECKS = {
    "a replay that is no execution": (
        "if found is None or not found.assumed:",
        "if found is None:",
        "forbidden",
    ),
    "what a replay violates": (
        "failed = found.violated.items()",
        'failed = {**found.violated, "p": 0}.items()',
        "quiet",
    ),
    "a difference": (
        "found = difference(model, mutant, compared, choices, valued=valued)",
        "found = Difference(choices, (), model(choices).trace, mutant(choices).trace)",
        "same",
    ),
    "the check of certificates": (
        "found = known.check(certificate, budget, owners=owners, workshop=workshop)",
        "found = Checked(True)",
        "proved",
    ),
    "the elements it is checked on": (
        "self.check(system, certificate, budget, owners=owners).ok",
        "self.check(system, certificate, budget).ok",
        "core",
    ),
    "the elements alone": (
        "self.check(system, certificate, budget, owners=owners).ok",
        "self.check(system, certificate, budget).ok",
        "resting",
    ),
    "the check of products": (
        "if not self._passes(system, certificate, None, budget):",
        "if False:",
        "product",
    ),
    "what fails however an execution goes on": (
        "step = execution.refuted().get(begun)",
        "step = 0",
        "not yet",
    ),
    "that executions go on": (
        "if step is not None and continuation.goes_on(part):",
        "if step is not None:",
        "ending",
    ),
    "where it was checked": (
        "if not self._is_part(part, system, certificate.goals):",
        "if False:",
        "elsewhere",
    ),
    "from what it was checked": (
        "if owners is None or used <= owners:",
        "if True:",
        "from more",
    ),
    "what holds together": (
        "for passed in self.bench.passing(batch, proofs, paths, found, owners=owners):",
        (
            "from mutproof.analyses.bench.sieve import Bundle\n"
            "        for passed in [Bundle((c,), tuple(cases), c.k) for c, cases in proofs]:"
        ),
        "together",
    ),
    "the second diagrams": (
        "if key not in second or not agree(verdict, second[key]):",
        "if key not in second:",
        "Holding, then Violated",
    ),
}
"""Each check of the notary, what stands without it, and a lie that is believed then."""


@pytest.mark.parametrize("check", CHECKS)
def test_without_any_of_its_checks_something_false_is_believed(
    check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, instead, lie = CHECKS[check]
    texts = {source: source.read_text() for source in SOURCES}
    assert 1 == sum(text.count(there) for text in texts.values())
    for source, name in SOURCES.items():
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(texts[source].replace(there, instead), str(source), "exec"), vars(module))
    assert lie in believed(module)


@pytest.mark.parametrize("kind", [Evidence, Holds, Fails, DeadEnd, Equivalent, Gap])
def test_nobody_else_makes_evidence(kind: type[Evidence]) -> None:
    with pytest.raises(TypeError, match="only the notary makes evidence"):
        kind(*range(9))
