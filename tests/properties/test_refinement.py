"""Cores for a limited effort are cores, and nothing more is said of them than is known."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.bench import bench
from mutproof.analyses.claims.finding import EFFORT_ENDED, PropertyFinding, PropertyVerdict
from mutproof.analyses.claims.variant import Variant
from mutproof.analyses.cores import refinement
from mutproof.analyses.cores.cones import Cones
from mutproof.analyses.cores.removing import Removing
from mutproof.model.program import ElementId
from mutproof.solving.account import ACCOUNT
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.lustre_models import Model, accepted, models
from support.lustre_mutants import BUDGET, report
from support.profiles import profile
from support.reading import analysed, elaborated_in

BRIEF = Options(mutate=False, budget=BUDGET, core_search="brief")
ALL = Options(mutate=False, budget=BUDGET, core_search="all")

ROW = """\
node top(a, b: bool) returns (p: bool);
var x, y, z, u, v: int;
let
  x = 0 -> if a then 0 else pre x;
  y = 0 -> if b then x else pre y;
  z = 0 -> if a then y else pre z;
  u = 1 -> if b then 3 else pre u + 1;
  v = u + x;
  p = z = 0 and (z = 0 or v > 0);
  --%PROPERTY p;
tel;
"""


def briefly(text: str, memory: Memory | None = None) -> dict[str, PropertyFinding]:
    parsed = elaborated_in("lustre", text)
    found = analysed(parsed, BRIEF, memory)
    return {finding.name: finding for finding in found.properties}


def shown(elements: tuple[ElementId, ...] | None) -> str:
    return " ".join(e.name for e in elements or ())


@given(models(), st.sampled_from((0, 2, 1000)))
@profile(15)
def test_what_is_said_for_a_limited_effort_is_so(model: Model, share: int) -> None:
    text = accepted(model.text)
    everything = {f.name: f for f in report(text, ALL).properties}
    with patch.object(refinement, "LEAST_UNITS", 0), patch.object(refinement, "SHARE", share):
        found = {f.name: f for f in report(text, BRIEF).properties}
    assert {n: f.verdict for n, f in everything.items()} == {n: f.verdict for n, f in found.items()}
    for name, finding in found.items():
        exact = everything[name].cores
        if finding.verdict is not PropertyVerdict.PROVED or finding.core is None:
            continue
        assert exact is not None
        if exact.complete:
            known = [set(core) for core in exact.cores]
            assert any(core <= set(finding.core) for core in known)
            assert set(finding.must or ()) <= set(exact.must)
            if finding.cores is None or finding.cores.minimal:
                assert set(finding.core) in known
            if finding.cores is None:
                assert set(finding.core) == set(exact.must)


def test_without_effort_a_core_is_what_the_proof_rests_on_and_says_so() -> None:
    with patch.object(refinement, "SHARE", 0), patch.object(refinement, "FEW", 0):
        found = briefly(ROW)["p"]
    assert {"x", "y", "z"} <= {e.name for e in found.core or ()}
    assert found.cores is not None
    assert (False, False, EFFORT_ENDED) == (
        found.cores.complete,
        found.cores.minimal,
        found.cores.reason,
    )
    assert "" == shown(found.must)


@given(models())
@profile(8)
def test_without_effort_no_cone_is_cut_and_cores_are_as_if_it_were(model: Model) -> None:
    text = accepted(model.text)
    found = []
    for is_cut in (False, True):
        with (
            patch.object(refinement, "SHARE", 0),
            patch.object(refinement, "FEW", 0),
            patch.object(refinement._KeptQuestions, "speak_of", return_value=is_cut),
            patch.object(Cones, "cut", autospec=True, side_effect=Cones.cut) as cutting,
        ):
            told = report(text, BRIEF).properties
        found.append({one.name: (one.core, one.must, one.cores) for one in told})
        assert is_cut or not cutting.called
    assert found[0] == found[1]


def test_without_effort_nothing_is_prepared_and_more_effort_helps_later() -> None:
    memory = Memory()
    with (
        patch.object(refinement, "FEW", 0),
        patch.object(refinement, "SHARE", 0),
        patch.object(bench, "Bench", lambda *_, **__: pytest.fail("solvers were prepared")),
    ):
        first = briefly(ROW, memory)["p"]
    assert first.cores is not None

    with patch.object(refinement, "EACH_CONE", 10_000_000):
        second = briefly(ROW, memory)["p"]

    assert ("x y z", None) == (shown(second.core), second.cores)


def test_with_much_effort_a_core_is_minimal_and_must_is_what_is_needed() -> None:
    with patch.object(refinement, "SHARE", 1000):
        found = briefly(ROW)["p"]
    assert ("x y z", "x y z", None) == (shown(found.core), shown(found.must), found.cores)


def test_single_elements_of_a_cone_are_left_out_for_all_its_properties_at_once() -> None:
    """Each is needed by all of them, as their proofs show together."""
    names = [f"p{number}" for number in range(9)]
    stated = "".join(f"  p{n} = z <= {n + 5};\n  --%PROPERTY p{n};\n" for n in range(9))
    text = ROW[: ROW.index("  p = ")].replace("(p: bool)", f"({', '.join(names)}: bool)")
    whole = f"{text}{stated}tel;\n".replace("if a then 0 else pre x", "if a then 5 else pre x")
    with (
        patch.object(refinement, "SHARE", 1000),
        patch.object(Removing, "certified", autospec=True, side_effect=Removing.certified) as tried,
    ):
        found = briefly(whole)
    assert not tried.called
    assert {"x y z"} == {shown(finding.core) for finding in found.values()}
    assert all(finding.cores is None for finding in found.values())


def test_cores_of_few_elements_are_minimal_whatever_the_proof_took() -> None:
    small = ROW.replace("z = 0 and (z = 0 or v > 0)", "y = 0")
    with patch.object(refinement, "SHARE", 0):
        found = briefly(small)["p"]
    assert ("x y", "x y", None) == (shown(found.core), shown(found.must), found.cores)


def test_small_cores_of_several_properties_are_minimal_whatever_the_proofs_took() -> None:
    numbers = range(6)
    lines = [f"  x{n} = 0 -> if b then x{n - 1} else pre x{n};" for n in numbers[1:]]
    stated = [f"  p{n} = x{n} = 0;\n  --%PROPERTY p{n};" for n in numbers]
    text = "\n".join(
        [
            f"node top(a, b: bool) returns ({', '.join(f'p{n}' for n in numbers)}: bool);",
            f"var {', '.join(f'x{n}' for n in numbers)}: int;",
            *("let", "  x0 = 0 -> if a then 0 else pre x0;", *lines, *stated, "tel;"),
        ]
    )
    with patch.object(refinement, "SHARE", 0):
        found = briefly(text)
    for n in numbers:
        needed = " ".join(f"x{other}" for other in numbers[: n + 1])
        assert (needed, None) == (shown(found[f"p{n}"].core), found[f"p{n}"].cores)


def test_nothing_is_laid_out_for_few_elements_with_many_constraints() -> None:
    spent = []
    for most in (1, 1000):
        with (
            patch.object(refinement, "SHARE", 0),
            patch.object(refinement, "FEW_CONSTRAINTS", most),
        ):
            before = ACCOUNT.spent
            found = briefly(ROW.replace("z = 0 and (z = 0 or v > 0)", "y = 0"))["p"]
            spent.append((ACCOUNT.spent - before, shown(found.core), shown(found.must)))
    assert spent[0][0] < spent[1][0]
    assert [("x y", ""), ("x y", "x y")] == [said[1:] for said in spent]


def test_to_lay_out_large_cones_takes_part_of_the_effort() -> None:
    """Each place of a register needs all before it: nothing is found in large cones, often."""
    places = range(1, 150)
    stated = [f"  p{n} = s{n} <= 1;\n  --%PROPERTY p{n};" for n in places[::10]]
    text = "\n".join(
        [
            "node top(a: bool) returns (o: bool);",
            f"var s0, {', '.join(f's{n}' for n in places)}: int;",
            f"  {', '.join(f'p{n}' for n in places[::10])}: bool;",
            *("let", "  o = a;", "  s0 = if a then 1 else 0;"),
            *(f"  s{n} = 0 -> pre s{n - 1};" for n in places),
            *(*stated, "tel;"),
        ]
    )
    laid_out = []
    for units in (0, refinement.LAYOUT_UNITS, 100_000):
        with (
            patch.object(refinement, "FEW", 0),
            patch.object(refinement, "LAYOUT_UNITS", units),
            patch.object(Cones, "cut", autospec=True, side_effect=Cones.cut) as cutting,
        ):
            found = briefly(text)
        laid_out.append(sum(len(call.args[1].deciding) for call in cutting.call_args_list))
        assert all(one.verdict is PropertyVerdict.PROVED and one.core for one in found.values())
    assert laid_out[0] > laid_out[1] > laid_out[2] == 0


@pytest.mark.parametrize("share", [0, 2, 1000])
def test_a_second_run_says_what_the_first_one_did(share: int) -> None:
    memory = Memory()
    with patch.object(refinement, "SHARE", share), patch.object(refinement, "FEW", 0):
        first, second = briefly(ROW, memory)["p"], briefly(ROW, memory)["p"]
    assert (first.core, first.must, first.cores) == (second.core, second.must, second.cores)


def test_the_effort_for_cores_is_a_share_of_that_for_proofs_and_one_question() -> None:
    spent = []
    for share in (0.0, 2.0):
        with patch.object(refinement, "SHARE", share), patch.object(refinement, "FEW", 0):
            before = ACCOUNT.spent
            briefly(ROW)
            spent.append(ACCOUNT.spent - before)
    assert spent[0] <= spent[1] <= 4 * spent[0]


def test_the_same_is_spent_in_every_run() -> None:
    spent = []
    for _ in range(2):
        before = ACCOUNT.spent
        briefly(ROW)
        spent.append(ACCOUNT.spent - before)
    assert spent[0] == spent[1] > 0


def test_only_elements_of_cores_are_left_out() -> None:
    """Each equation reads the one before, so that cones are large and cores are small."""
    numbers = range(1, 40)
    lines = [f"  x{n} = if x{n - 1} > x0 then 0 else {n % 2 + 1};" for n in numbers]
    stated = [f"  p{n} = x{n} <= 2;\n  --%PROPERTY p{n};" for n in numbers]
    names = ", ".join(f"x{n}" for n in numbers)
    text = "\n".join(
        [
            "node top(x0: int) returns (o: bool);",
            f"var {names}: int; {', '.join(f'p{n}' for n in numbers)}: bool;",
            *("let", "  o = true;", *lines, *stated, "tel;"),
        ]
    )
    made: list[str] = []
    variant = Removing.variant

    def counted(self: Removing, name: str, gone: frozenset[ElementId]) -> Variant:
        made.append(name)
        return variant(self, name, gone)

    with patch.object(Removing, "variant", counted):
        found = briefly(text)
    assert all(f"x{n}" in shown(found[f"p{n}"].core).split() for n in numbers)
    assert len(made) < 10 * len(numbers)
