"""The scope of a property decides it: what is left out cannot end, forbid or unfair a path."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.scope import core_of, rests_on_all, scope
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.mutants import mutated_body
from mutproof.model.interpretation import interpretation
from mutproof.model.slice import Slicer
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import Holding
from mutproof.solving.liveness.verdict import LinearProof, Way
from mutproof.solving.verdict import Certificate
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.deadlines import UNHURRIED
from support.nusmv_rows import row
from support.reading import accepted_in
from support.relational_models import program_of

NAMES = ("a", "b", "c", "d")
STATED = (
    "CTLSPEC AG AF {0};",
    "CTLSPEC EG ({0} | !{1});",
    "CTLSPEC AG (EF {0} & EX !{0});",
    "LTLSPEC G F {0};",
    "LTLSPEC (F G {1}) -> G F {0};",
    "LTLSPEC X G {0};",
)


MODELS = 6


def some(source: random.Random) -> str:
    """Return a random condition on at most two variables."""
    one, other = source.choices(NAMES, k=2)
    return source.choice((one, f"!{one}", f"({one} & !{other})", f"({one} | {other})"))


def assigned(source: random.Random, names: list[str]) -> str:
    """Return random assignments to next values."""
    values = ("{FALSE, TRUE}", some(source), f"{some(source)} ? {some(source)} : {{TRUE, FALSE}}")
    return "".join(f"  next({name}) := {source.choice(values)};\n" for name in names)


def random_model(source: random.Random) -> str:
    """Return a model with assignments, perhaps of processes, and fairness."""
    parts = [source.sample(NAMES, source.randint(1, 3)) for _ in "xy"]
    if source.randrange(2):
        modules = [
            f"MODULE part{n}({', '.join(NAMES)})\nASSIGN\n{assigned(source, names)}"
            + "FAIRNESS running\n" * source.randrange(2)
            for n, names in enumerate(parts)
        ]
        declared = "".join(f"  p{n} : process part{n}({', '.join(NAMES)});\n" for n in range(2))
        text = f"{''.join(modules)}MODULE main\nVAR\n{declared}"
    else:
        names = list(dict.fromkeys(name for part in parts for name in part))
        text = f"MODULE main\nASSIGN\n{assigned(source, names)}VAR\n"
    text += "".join(f"  {name} : boolean;\n" for name in NAMES) + "ASSIGN init(a) := TRUE;\n"
    text += source.choice(("", "TRANS b -> next(b) | a\n"))
    text += source.choice((f"FAIRNESS {some(source)}\n", f"COMPASSION ({some(source)}, b)\n"))
    chosen = source.sample(STATED, 3)
    return text + "\n".join(form.format(*source.sample(NAMES, 2)) for form in chosen)


def said(system: TransitionSystem, name: str) -> tuple[str, object]:
    """Return what diagrams say of a property."""
    found = check(system, [name], UNHURRIED)[name]
    return type(found).__name__, found.vacuity if isinstance(found, Holding) else None


def test_a_property_has_the_same_verdict_in_its_scope() -> None:
    smaller = 0
    for seed in range(MODELS):
        text = random_model(random.Random(seed))
        system = interpretation(program_of(text)).system()
        for stated in system.properties:
            part = scope(system, [stated.name])
            smaller += len(part.variables) < len(system.variables)
            if part != system:
                assert said(system, stated.name) == said(part, stated.name), text
    assert 1 < smaller


DATA = """
MODULE sender(full, data)
ASSIGN next(full) := TRUE; next(data) := full ? data : {1, 2, 3};
MODULE receiver(full, data)
VAR last : 0..3;
ASSIGN next(full) := FALSE; next(data) := full ? 0 : data; next(last) := data;
FAIRNESS running
MODULE main
VAR full : boolean; data : 0..3; s : process sender(full, data); r : process receiver(full, data);
LTLSPEC G F !full;
LTLSPEC G data < 3;
"""


def test_what_processes_send_is_left_out_where_only_the_signal_matters() -> None:
    system = interpretation(program_of(DATA)).system()
    signal, data = (stated.name for stated in system.properties)

    assert {"full", "_process_selector_"} == scope(system, [signal]).variables.keys()
    assert {"full", "data", "_process_selector_"} == scope(system, [data]).variables.keys()
    assert system.fairness == scope(system, [signal]).fairness


def test_what_other_constraints_restrict_is_not_left_out() -> None:
    system = interpretation(program_of(f"{DATA} TRANS data < 3;")).system()

    assert "data" in scope(system, [system.properties[0].name]).variables


def test_the_scope_of_the_last_properties_is_computed_once() -> None:
    text = (
        "MODULE main\nVAR a : boolean; b : boolean;\nASSIGN next(a) := !a;\nSPEC AG (a -> AX !a);\n"
    )
    system = interpretation(program_of(text)).system()
    (stated,) = system.properties
    assert scope(system, [stated.name]) is scope(system, (stated.name,))
    assert {"a"} == scope(system, [stated.name]).variables.keys()


def test_the_scope_of_a_mutant_is_that_of_its_system_made_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def counted(slicer: Slicer, system: TransitionSystem, *, chosen: bool = False) -> None:
        nonlocal cut
        cut += 1
        original(slicer, system, chosen=chosen)

    original, cut, shared, made = Slicer.__init__, 0, 0, 0
    monkeypatch.setattr(Slicer, "__init__", counted)
    for seed in range(MODELS):
        source = random.Random(seed)
        told = "DEFINE e := a & c; f := e | d;\nTRANS f -> next(b) | !e\nINVAR b | e\nCTLSPEC AG f;"
        found = accepted_in("nusmv", f"{random_model(source)}\n{told}")
        meaning = interpretation(found.program)
        system = meaning.system()
        names = [stated.name for stated in system.properties]
        for name in names:
            scope(system, [name])
        for mutant in enumerate_mutants(found, Options(level="all")):
            bodies = {e: mutated_body(e, mutant) for e in found.program.by_id[mutant.element]}
            changed = meaning.rewritten(bodies)
            if changed.refused or changed.system is not None:
                continue
            variant = Variant(mutant.id, changed.removed, changed.constraints)
            here, anew = (applied(system, variant) for _ in range(2))
            anew = replace(anew)  # which does not say what it is made of
            for name in names:
                before = cut
                part = scope(here, [name])
                shared += cut == before
                whole = scope(anew, [name])
                assert (part is here) == (whole is anew)
                assert part == whole, mutant
                assert part.constraints == whole.constraints, mutant
                assert [*part.variables] == [*whole.variables]
                made += 1
    assert made > 1_000
    assert 0.3 * made < shared < 0.9 * made


def test_support_is_the_same_exactly_where_the_scope_is() -> None:
    names: dict[bytes, set[frozenset[bytes]]] = {}
    by_support: dict[frozenset[bytes], set[bytes]] = {}
    reused = fresh = 0
    for seed in range(3 * MODELS):
        source = random.Random(seed)
        told = "DEFINE e := a & c; f := e | d;\nCTLSPEC AG f;\nLTLSPEC G (d -> X e);"
        text = random_model(source).replace("TRANS b -> next(b) | a\n", "")
        found = accepted_in("nusmv", f"{text}\n{told}")
        meaning = interpretation(found.program)
        system = meaning.system()
        systems = [system, replace(system)]
        for mutant in enumerate_mutants(found, Options(level="all")):
            bodies = {e: mutated_body(e, mutant) for e in found.program.by_id[mutant.element]}
            changed = meaning.rewritten(bodies)
            if changed.refused or changed.system is not None:
                continue
            here = applied(system, Variant(mutant.id, changed.removed, changed.constraints))
            systems += [here, replace(here)]  # the second does not say what it is made of
        for one in systems:
            for stated in one.properties:
                support = rests_on_all(one, stated.name)
                part = scope(one, [stated.name]).digest
                known = names.setdefault(part, set())
                reused += support in known
                fresh += support not in known
                known.add(support)
                by_support.setdefault(support, set()).add(part)
    assert all(len(found) == 1 for found in names.values())
    assert all(len(found) == 1 for found in by_support.values())
    assert reused > 1_000
    assert fresh > 300


def test_support_of_a_variant_of_a_variant_is_that_of_its_system_made_anew() -> None:
    told = "DEFINE e := a & c; f := e | d;\nCTLSPEC AG f;\nLTLSPEC G (d -> X e);"
    made = 0
    for seed in range(MODELS):
        source = random.Random(seed)
        text = random_model(source).replace("TRANS b -> next(b) | a\n", "")
        found = accepted_in("nusmv", f"{text}\n{told}")
        meaning = interpretation(found.program)
        system, variants = meaning.system(), list[Variant]()
        for mutant in enumerate_mutants(found, Options(level="all")):
            bodies = {e: mutated_body(e, mutant) for e in found.program.by_id[mutant.element]}
            changed = meaning.rewritten(bodies)
            if not changed.refused and changed.system is None:
                variants.append(Variant(mutant.id, changed.removed, changed.constraints))
        for _ in range(100):
            one, other = source.sample(variants, 2)
            if one.removed & other.removed:
                continue
            here = applied(applied(system, one), other)
            for stated in here.properties:
                expected = rests_on_all(replace(here), stated.name)
                assert rests_on_all(here, stated.name) == expected
                made += 1
    assert made > 300


def test_the_support_of_all_properties_of_a_row_is_made_without_cutting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = interpretation(program_of(row(9, "LTLSPEC G (n <= 5);"))).system()
    monkeypatch.setattr(Slicer, "__init__", None)
    monkeypatch.setattr(Slicer, "cone", None)

    supports = {rests_on_all(system, stated.name) for stated in system.properties}

    assert len(supports) == len(system.properties) == 9


def test_the_elements_of_a_proof_are_found_in_a_system_that_states_the_same() -> None:
    system = interpretation(program_of(row(3, "LTLSPEC G (n <= 5);"))).system()
    (name, *_) = [stated.name for stated in system.properties]
    owners = frozenset(c.owner for c in system.constraints if c.owner is not None)
    for core in (owners, frozenset([*sorted(owners, key=repr)][:1])):
        about = replace(system), name, Certificate(1, (), (name,)), core, Way.INVARIANT
        proof = LinearProof(*about)
        assert core_of(system, name, rests_on_all(system, name), proof) == core
