"""What holds of a small part around a property holds of the whole, and of mutants alike there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.analyses.proving import localised, temporal
from mutproof.base.budget import Budget, Deadline
from mutproof.base.memo import Memo
from mutproof.model import localisation, terms
from mutproof.model.interpretation import interpretation
from mutproof.model.localisation import around, is_universal, layers, owners_of
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.check import OUT_OF_TIME, check
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Undecided, Vacuity, Violated
from mutproof.workspace.options import Options
from support.deadlines import UNHURRIED
from support.explicit import explore
from support.nusmv_mutants import accepted, mutants_of, mutated_text
from support.oracles import Graph
from support.profiles import profile
from support.reading import analysed
from support.relational_models import program_of
from support.relational_systems import BRANCHING, LINEAR, stating, systems

RING = """\
MODULE cell(before)
VAR n : 0..3; busy : boolean;
ASSIGN
  init(n) := 0;
  next(n) := case busy & before < 2 : (n + 1) mod 4; TRUE : n; esac;
  init(busy) := FALSE;
  next(busy) := {moves};
FAIRNESS !busy

MODULE main
VAR
  one : cell(four.n); two : cell(one.n); three : cell(two.n); four : cell(three.n);
LTLSPEC G (one.busy -> F !one.busy)
"""
"""The property follows from fairness alone."""


LATER = """\
MODULE main
VAR n : 0..5; m : 0..5; k : 0..5;
ASSIGN
  init(n) := 0; next(n) := m = 3 ? 1 : n;
  init(m) := 0; next(m) := k = 3 ? 3 : {0, m};
  init(k) := 0; next(k) := k < 5 ? k + 1 : 0;
LTLSPEC G (n = 1 -> X n = 1)
LTLSPEC G (n = 0 -> F n != 2)
LTLSPEC G F k = 0
"""
"""Both of the first two properties have parts that are not the whole."""


def report(text: str) -> tuple[PropertyFinding, dict[str, list[tuple[str, MutantFinding]]]]:
    """Return the finding of the only property, and those of mutants with texts, by element."""
    model = accepted(text)
    options = Options(mutate=True, core_search="brief", level="all")
    found = analysed(model, options)
    (stated,) = found.properties
    texts = {m.id: (m.element.name, mutated_text(model, m)) for m in mutants_of(model)}
    by_element: dict[str, list[tuple[str, MutantFinding]]] = {}
    for mutant in found.mutants:
        element, said = texts[mutant.mutant]
        by_element.setdefault(element, []).append((said, mutant))
    return stated, by_element


def holds_on(part: TransitionSystem, name: str) -> bool:
    verdict = check(part, (name,), UNHURRIED)[name]
    return isinstance(verdict, Holding) and verdict.vacuity is None


@profile(80)
@given(
    systems(), st.one_of(BRANCHING, st.builds(lambda p: terms.make(Op.AG, BOOL, (p,)), BRANCHING))
)
def test_what_holds_on_all_paths_of_a_part_holds_on_all_of_the_whole(
    system: TransitionSystem, stated: Term
) -> None:
    system = stating(system, PropertyKind.CTL, stated)
    space = explore(system)
    assert space is not None
    graph = Graph(system, space)
    is_violated = bool((set(space.initial) & graph.fair) - graph.satisfying(stated))

    if is_universal(system.properties[0]):
        parts = [*layers(system, "p0"), around(system, "p0", ())]
        assert not (is_violated and any(holds_on(part, "p0") for part in parts))


@profile(80)
@given(systems(), LINEAR)
def test_so_it_does_in_linear_time(system: TransitionSystem, stated: Term) -> None:
    system = stating(system, PropertyKind.LTL, stated)
    whole = check(system, ("p0",), UNHURRIED)["p0"]

    for part in layers(system, "p0"):
        assert not (isinstance(whole, Violated) and holds_on(part, "p0"))


def test_a_part_grows_by_what_it_reads() -> None:
    system = interpretation(program_of(RING.replace("{moves}", "!busy"))).system()
    (name,) = [stated.name for stated in system.properties]
    found = [*layers(system, name)]

    assert [{"one.busy"}, 1] == [found[0].variables.keys(), len(found[0].fairness)]
    sizes = [len(part.constraints) for part in found]
    assert sizes == sorted(sizes)
    assert sizes[-1] < len(system.constraints)


def test_a_value_that_its_sort_may_not_list_stays_defined() -> None:
    text = "MODULE main VAR x : 0..2; DEFINE d := x + 5; e := x = 1; INVARSPEC d > 4; INVARSPEC !e;"
    system = interpretation(program_of(text)).system()
    first, second = [stated.name for stated in system.properties]
    owners = owners_of(system)

    assert ["d"] == [c.defines for c in localisation.without(system, owners).constraints]
    assert ["d"] == [c.defines for c in around(system, first, ()).constraints]
    assert not around(system, second, ()).constraints


def test_mutants_of_what_no_small_part_needs_survive_if_a_path_is_fair() -> None:
    stated, mutants = report(RING.replace("{moves}", "busy"))

    assert stated.verdict is PropertyVerdict.PROVED
    assert not stated.core
    alive = [m for _, m in mutants["n"] if m.status is not MutantStatus.STILLBORN]
    assert {(MutantStatus.SURVIVED, "core")} == {(m.status, m.how) for m in alive}
    unfair = [m for text, m in mutants["busy"] if "init(busy) := TRUE" in text]
    assert [(MutantStatus.STILLBORN, Vacuity.NO_FAIR_STATE.value)] == [
        (m.status, m.reason) for m in unfair
    ]


NEVER_FAIR = """\
MODULE main
VAR n : 0..9; m : 0..9; s : boolean;
ASSIGN
  init(n) := 0; next(n) := n < 9 ? n + 1 : 0;
  init(m) := 0; next(m) := n = 9 & m < 9 ? m + 1 : m;
  init(s) := FALSE; next(s) := s | n = 3;
FAIRNESS n = 0
FAIRNESS m = 7
LTLSPEC G (s -> X s)
"""
"""The second number passes 7 once; no solver finds that soon."""


@pytest.mark.parametrize("large", [1, 1_000])
@pytest.mark.parametrize("units", [0, 1_000_000])
def test_what_holds_as_no_path_is_fair_is_vacuous_in_a_small_part_too(
    large: int, units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporal, "LARGE", large)
    monkeypatch.setattr(temporal, "_FAIR_PATH", Budget(units, 2.0))
    monkeypatch.setattr(temporal, "_fair", Memo(4))
    stated, mutants = report(NEVER_FAIR)

    assert stated.vacuity == Vacuity.NO_FAIR_STATE.value
    assert MutantStatus.SURVIVED not in {m.status for ms in mutants.values() for _, m in ms}


def test_no_small_part_counts_while_it_is_not_known_whether_a_path_is_fair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(temporal, "LARGE", 1)
    monkeypatch.setattr(temporal, "_fair_path", lambda *_: None)
    stated, _ = report(NEVER_FAIR)

    assert stated.vacuity == Vacuity.NO_FAIR_STATE.value


@pytest.mark.parametrize("large", [1, 1_000])
@pytest.mark.parametrize("fails", [False, True])
def test_parts_that_are_dear_are_given_up_soon_until_the_whole_fails(
    fails: bool,
    large: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[float] = []
    checked = temporal._checked

    def holding(_: TransitionSystem, __: str, deadline: Deadline) -> None:
        """Take all the time that there is, and find nothing."""
        tried.append(deadline.remaining_s())
        while not deadline.passed():
            pass

    def of_whole(
        part: TransitionSystem, names: Sequence[str], seconds: float
    ) -> dict[str, BddVerdict]:
        tried.append(-1.0)
        if fails:
            return dict.fromkeys(names, Undecided(OUT_OF_TIME))
        return checked(part, names, seconds)

    monkeypatch.setattr(temporal, "LARGE", large)
    monkeypatch.setattr(localised, "holding", holding)
    monkeypatch.setattr(temporal, "_checked", of_whole)
    options = Options(core_search="none", budget=Budget(timeout_s=4.0))
    analysed(accepted(LATER), options)

    whole = tried.index(-1.0)
    assert 0.0 < sum(tried[:whole]) <= 4.0 * localised.IN_VAIN
    later = [seconds for seconds in tried[whole:] if seconds > 0]
    assert bool(later) is fails
    assert sum(later) > 4.0 * localised.IN_VAIN or not fails
