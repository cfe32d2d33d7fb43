"""Cores prove their property, nothing in them can go, and MUST is what every core has."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.claims.reduction import KnownReductions
from mutproof.analyses.claims.variant import applied, grounds
from mutproof.analyses.cores.cores import CoreLimits, CoreProof, Cores
from mutproof.analyses.cores.removals import Removals
from mutproof.analyses.cores.removing import Removing, Replay
from mutproof.model.interpretation import interpretation
from mutproof.model.lower import lower
from mutproof.model.program import ElementId
from mutproof.model.trace import Choices
from mutproof.solving import portfolio
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate, Proved
from mutproof.workspace.analysis import Memory
from support.forged import forged
from support.lustre_interpreter import truth
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import BUDGET, options, program_of, report
from support.profiles import profile
from support.reading import elaborated_in

CORES = options(cores=True, mutate=False)


@profile(12)
@given(models(finite=True, size=3))
def test_a_core_proves_its_property_and_is_minimal(model: Model) -> None:
    found = accepted(model.text)
    program = program_of(found)
    whole = truth(program)
    if not whole.exact or whole.longest < 3:
        return
    meaning = interpretation(program)
    system = meaning.widened(meaning.system())
    elements = [element.id for element in program.elements() if element.id in system.by_owner]
    for stated in report(found, CORES).properties:
        if stated.verdict is not PropertyVerdict.PROVED:
            assert stated.core is None
            continue
        assert stated.core is not None
        assert stated.must is not None
        owner = system.property(stated.name).owner
        kept = {*stated.core, owner}
        gone = [e for e in elements if e not in kept]
        # Calls of the same with the same arguments stay equal, whatever they say.
        linked = meaning.without(gone) if meaning.is_linked(gone) else ()
        reduced = applied(system, Variant("core", frozenset(gone), tuple(linked)))
        outcome = portfolio.prove(reduced, BUDGET, goals=[stated.name])
        assert isinstance(outcome.verdicts[stated.name], Proved)
        assert owner not in stated.core
        assert set(stated.must) <= set(stated.core)
        assert sorted(stated.core, key=elements.index) == list(stated.core)
        for needed in stated.core:
            # Calls in a removed equation have no properties any more, so stay with the others.
            without = {e: None for e in program.elements() if e.id not in kept - {needed}}
            seen = truth(program, without)
            if seen.exact and "." not in stated.name:
                assert stated.name in seen.violated, needed


@profile(12)
@given(models(finite=True, size=3))
def test_must_is_what_cannot_go_alone(model: Model) -> None:
    found = accepted(model.text)
    program = program_of(found)
    whole = truth(program)
    if not whole.exact or whole.longest < 3:
        return
    for stated in report(found, CORES).properties:
        if stated.must is None or "." in stated.name:
            continue
        for element in {element.id for element in program.elements()}:
            without = dict.fromkeys(program.by_id[element])
            seen = truth(program, without)
            owner = lower(program).property(stated.name).owner
            if seen.exact and element != owner:
                assert (stated.name in seen.violated) == (element in stated.must), element


def names(elements: tuple[ElementId, ...] | None) -> list[str]:
    return [element.name.split("#")[0] for element in elements or ()]


@pytest.mark.parametrize(
    ("text", "core", "must"),
    [
        pytest.param(
            "node top(a: bool) returns (x, y, p: bool);\n"
            "let x = true; y = true; p = x or y; --%PROPERTY p;\ntel;",
            1,
            [],
            id="one of two reasons is a core, and neither is in every core",
        ),
        pytest.param(
            "node top(a: bool) returns (x, y, p: bool);\n"
            "let x = true; y = true; p = x and y; --%PROPERTY p;\ntel;",
            2,
            ["x", "y"],
            id="two needed reasons are both in every core",
        ),
        pytest.param(
            "node top(a: bool) returns (x, y, p: bool);\n"
            "let x = a; y = x; p = x = y; assert not a; --%PROPERTY p;\ntel;",
            1,
            ["y"],
            id="what the property does not need is in no core",
        ),
        pytest.param(
            "node top(a: bool) returns (x, p: bool);\n"
            "let x = a; p = not x; assert not a; --%PROPERTY p;\ntel;",
            2,
            ["x", "assert"],
            id="an assertion is an element too",
        ),
        pytest.param(
            "node n(a: bool) returns (b: bool); let b = not a; tel;\n"
            "node top(a: bool) returns (x, y, p: bool);\n"
            "let x = n(a); y = n(a and a); p = x = y; --%PROPERTY p;\ntel;",
            3,
            ["b", "x", "y"],
            id="an equation of a node stands for all its instances",
        ),
        pytest.param(
            "node n(a: bool) returns (b, p: bool); let b = a; p = b => a; --%PROPERTY p;\ntel;\n"
            "node top(a: bool) returns (x, y, z, u: bool);\n"
            "let x, z = n(a); y, u = n(not a); tel;",
            1,
            ["b"],
            id="a property of a node that is called elsewhere too",
        ),
    ],
)
def test_cores_are_those_worked_out_by_hand(text: str, core: int, must: list[str]) -> None:
    stated = report(accepted(text), CORES).properties[0]

    assert core == len(stated.core or ())
    assert must == names(stated.must)


@profile(12)
@given(models(finite=True, size=3), sources())
def test_cores_are_the_same_in_every_run(model: Model, source: random.Random) -> None:
    first = report(accepted(model.text), CORES).properties
    again = report(accepted(model.text), CORES).properties

    assert [(p.name, p.core, p.must) for p in first] == [(p.name, p.core, p.must) for p in again]


@profile(20)
@given(models(finite=True, size=3))
def test_cores_are_the_same_whether_mutants_are_decided_or_not(model: Model) -> None:
    alone = report(accepted(model.text), CORES).properties
    beside = report(accepted(model.text), options(cores=True)).properties

    assert [(p.name, p.core, p.must) for p in alone] == [(p.name, p.core, p.must) for p in beside]


THREE = (
    "node top(a: bool) returns (x, y, z, p: bool);\n"
    "let x = a; y = x; z = not a; p = (x = y); --%PROPERTY p;\ntel;"
)


def core_with(
    removals: Removals | Mapping[ElementId, Mapping[str, Holds | Fails]], text: str = THREE
) -> tuple[list[str], list[str]]:
    """Return core and MUST of the property of a text, given what mutants are said to have shown."""
    meaning = interpretation(program_of(accepted(text)))
    system = meaning.system()
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    proved = portfolio.prove(system, BUDGET, goals=["p"]).verdicts["p"]
    assert isinstance(proved, Proved)
    holds = forged(Holds, proved.certificate, grounds(system, proved), proved.engine)
    shown = removals if isinstance(removals, Removals) else Removals(removals)
    try:
        cores = Cores(meaning, system, means, KnownReductions(), removals=shown)
        everything = frozenset(owner for owner in system.by_owner if owner is not None)
        ((_, found),) = cores.of([CoreProof("p", holds, everything)], CoreLimits(cores=1))
    finally:
        means.spacer.close()
    return names(found.cores[0]), names(found.must)


def test_an_execution_that_a_mutant_shows_is_believed_only_if_it_violates() -> None:
    honest = core_with({})
    assert honest == (["y"], ["y"])
    harmless = forged(Fails, Choices(({"a": True},)), 0, "bmc")

    lies = {e: {"p": harmless} for e in map(equation, "xyz")}

    assert core_with(lies) == honest
    telling = forged(Fails, Choices(({"a": True, "y": False},)), 0, "bmc")
    assert core_with({equation("y"): {"p": telling}}) == honest


def test_what_a_mutant_shows_is_asked_of_no_solver_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        Removing,
        "together",
        lambda _, cases, *__, **___: asked.extend(e.name for c in cases for e in c.variant.removed),
    )
    telling = forged(Fails, Choices(({"a": True, "y": False},)), 0, "bmc")

    found = core_with({equation("y"): {"p": telling}})

    assert found == (["y"], ["y"])
    assert asked == []


def test_values_from_other_mutants_count_only_if_they_violate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = core_with({})
    harmless, telling = (Choices(({"a": True, "y": value},)) for value in (True, False))

    assert core_with(Removals(freed=lambda *_: (harmless,))) == honest

    monkeypatch.setattr(Removing, "together", refused)
    freed = {equation("y"): (harmless, telling)}
    assert core_with(Removals(freed=lambda e, _: freed.get(e, ()))) == (["y"], ["y"])


def refused(_: Removing, cases: Sequence[Claim], *__: object, **___: object) -> None:
    assert not cases


TWO = (
    "node top(a, b: bool) returns (x, y, z, p, q: bool);\n"
    "let x = a; y = x; z = b; p = (x = y); q = (z = b); --%PROPERTY p; --%PROPERTY q;\ntel;"
)


def test_executions_are_replayed_again_only_where_the_cone_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[str] = []

    def counting(run: Callable[..., object]) -> Callable[..., object]:
        def counted(self: object, variant: Variant, *execution: object) -> object:
            ran.extend(element.name for element in variant.removed)
            return run(self, variant, *execution)

        return counted

    monkeypatch.setattr(Removing, "violation", counting(Removing.violation))
    monkeypatch.setattr(Replay, "__call__", counting(Replay.__call__))
    memory, seen = Memory(), []
    edited = TWO.replace("y = x;", "y = (x and true);")
    for text in (TWO, TWO + "-- more", edited, TWO):
        ran.clear()
        found = report(accepted(text), CORES, memory).properties
        assert [["y"], ["z"]] == [names(one.core) for one in found]
        seen.append(sorted(set(ran)))
    assert [["y", "z"], [], ["y"], []] == seen
    other = TWO.replace("p = (x = y)", "p = (x = y) or a or not a")
    cold, warm = report(accepted(other), CORES), report(accepted(other), CORES, memory)
    assert [(p.name, p.core) for p in cold.properties] == [
        (p.name, p.core) for p in warm.properties
    ]


def test_executions_of_an_earlier_version_are_replayed_on_the_whole_program_that_cones_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = Memory()
    report(accepted(TWO), CORES, memory)
    monkeypatch.setattr(Replay, "__call__", lambda *_: pytest.fail("a cone was run"))

    found = report(accepted(TWO.replace("y = x;", "y = (x and true);")), CORES, memory)

    assert [["y"], ["z"]] == [names(one.core) for one in found.properties]


def test_an_element_that_is_needed_late_is_told_by_executions_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (
        "node top(a: bool) returns (n: int; p: bool);\n"
        "var room: bool;\nlet\n"
        "  room = true -> pre n < 30;\n"
        "  n = 0 -> if a and room then pre n + 1 else pre n;\n"
        "  p = n <= 30; --%PROPERTY p;\ntel;"
    )
    monkeypatch.setattr(Removing, "_prove", lambda *_: pytest.fail("engines were asked"))

    assert core_with({}, text) == (["room", "n"], ["room", "n"])


def test_a_proof_that_a_mutant_shows_is_believed_only_if_it_rests_on_what_is_left() -> None:
    system = interpretation(program_of(accepted(THREE))).system()
    trivial = Certificate(1, (), ("p",))
    of_itself = frozenset(c.digest for c in system.by_owner[equation("y")])

    lies = {equation("y"): {"p": forged(Holds, trivial, of_itself, "certificate")}}

    assert core_with(lies) == (["y"], ["y"])


def equation(name: str) -> ElementId:
    return ElementId("top", "equation", name)


def test_a_core_of_which_something_is_open_is_said_to_be_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = report(accepted(THREE), CORES).properties[0]
    monkeypatch.setattr(Removing, "together", lambda *_, **__: None)
    monkeypatch.setattr(Removing, "decide", lambda *_: None)

    (found,) = report(accepted(THREE), CORES).properties

    assert whole.cores is None
    assert found.verdict is PropertyVerdict.PROVED
    assert names(found.core) == ["y"]
    assert names(found.must) == []
    assert found.cores is not None
    assert not found.cores.minimal
    assert "whether y is needed in a core" in found.cores.reason


@st.composite
def alike(draw: st.DrawFn) -> str:
    """Draw a program with several properties of the same few equations."""
    count = draw(st.integers(2, 5))
    names = [f"x{number}" for number in range(count)]
    lines = []
    for name in names:
        value = draw(st.sampled_from(["true", "a", "a or not a", *names]))
        later = draw(st.sampled_from([None, *names]))
        if later is not None:
            value = f"true -> pre ({later} or {draw(st.sampled_from(names))})"
        lines.append(f"{name} = {value};")
    stated = []
    for number in range(draw(st.integers(1, 3))):
        operator = draw(st.sampled_from(["or", "and", "=>"]))
        left, right = (draw(st.sampled_from(names)) for _ in range(2))
        lines.append(f"p{number} = {left} {operator} ({right} or not b);")
        stated.append(f"p{number}")
    pragmas = [f"--%PROPERTY {name};" for name in stated]
    shown = ", ".join([*names, *stated])
    head = f"node top(a, b: bool) returns ({shown}: bool);"
    return "\n".join([head, "let", *lines, *pragmas, "tel;"])


@profile(25)
@given(alike())
def test_cores_of_properties_that_are_looked_at_together_suffice_and_are_minimal(text: str) -> None:
    elaborated = elaborated_in("lustre", text)
    if elaborated.program is None or elaborated.diagnostics:
        return  # a loop
    program = elaborated.program

    def holds(name: str, kept: frozenset[ElementId]) -> bool:
        gone = dict.fromkeys(e for e in program.elements() if e.id not in kept)
        seen = truth(program, gone)
        assert seen.exact
        return name not in seen.violated

    everything = frozenset(element.id for element in program.elements())
    for stated in report(elaborated, CORES).properties:
        own = equation(stated.name)
        if stated.core is None:
            assert not holds(stated.name, everything)
            continue
        kept = frozenset({*stated.core, own})
        assert holds(stated.name, kept)
        assert [] == [gone for gone in stated.core if holds(stated.name, kept - {gone})]
        needed = [e for e in everything - {own} if not holds(stated.name, everything - {e})]
        assert set(needed) == set(stated.must or ())


def test_a_proof_that_needs_another_property_shows_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "node top(a: bool) returns (x, y: int; p, q: bool);\nlet\n"
        "  x = 0 -> if a then pre x + 1 else pre x; y = 0 -> pre y + pre x;\n"
        "  p = x >= 0; q = y >= 0; --%PROPERTY p; --%PROPERTY q;\ntel;"
    )
    meaning = interpretation(program_of(accepted(text)))
    system = meaning.system()
    certificate = Certificate(1, (system.property("p").term,), ("q",))
    everything = frozenset(owner for owner in system.by_owner if owner is not None)
    proved = Proved(certificate, everything, "test", 1)
    holds = forged(Holds, certificate, grounds(system, proved), "test")
    asked: list[object] = []
    monkeypatch.setattr(Removing, "_prove", lambda *question: asked.append(question))
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)

    cores = Cores(meaning, system, means, KnownReductions(), removals=Removals({}))
    ((_, found),) = cores.of([CoreProof("q", holds, everything)], CoreLimits(cores=1))
    means.spacer.close()

    assert not asked
    assert ["x", "y"] == sorted(names(found.cores[0]))
