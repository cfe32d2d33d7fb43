"""After any edit of a NuSMV file, what is kept gives the verdicts of a run from scratch."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.finding import MutantStatus, Origin, PropertyVerdict
from mutproof.base.text import SourceText
from mutproof.languages import nusmv
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from support.profiles import profile
from support.reading import analysed

TEMPLATE = """\
-- Two rings that share nothing, and a latch that reads one of them.
MODULE ring(step)
VAR
  at : {{a, b, c}};
ASSIGN
  init(at) := {init_at};
  next(at) := case step : {next_at}; TRUE : at; esac;
DEFINE
  home := {home};

MODULE latch(on)
VAR
  set : boolean;
ASSIGN
  init(set) := {init_set};
  next(set) := {next_set};
{constraint}
MODULE main
VAR
  go : boolean;
  left : ring(go);
  right : ring(TRUE);
  seen : latch(left.home);
ASSIGN
  next(go) := {next_go};
{fairness}
INVARSPEC NAME keeps := {keeps};
CTLSPEC NAME returns := AG EF right.home
LTLSPEC NAME settles := G (seen.set -> X seen.set)
"""
CHOICES: Mapping[str, tuple[str, ...]] = {
    "init_at": ("a", "{a, b}", "b"),
    "next_at": (
        "case at = a : b; at = b : c; TRUE : a; esac",
        "case at = a : b; at = b : {b, c}; TRUE : a; esac",
        "case at = a : b; TRUE : c; esac",
        "at",
    ),
    "home": ("at = a", "at != b", "at in {a, c}"),
    "init_set": ("FALSE", "{TRUE, FALSE}"),
    "next_set": ("set | on", "on", "set & !on | on", "set"),
    "constraint": ("", "INVAR set -> set", "TRANS set -> next(set)", "INIT !set"),
    "next_go": ("!go", "{TRUE, FALSE}", "go"),
    "fairness": ("", "FAIRNESS go", "FAIRNESS seen.set"),
    "keeps": ("left.home | !left.home", "seen.set -> go | !go", "left.at = c -> seen.set"),
}


def text(chosen: Mapping[str, str]) -> str:
    return TEMPLATE.format(**{slot: chosen.get(slot, CHOICES[slot][0]) for slot in CHOICES})


def report(
    source: str,
    memory: Memory,
    level: str = "default",
    strategy: str = "default",
    *,
    equivalence: str = "",
) -> Report:
    parsed = nusmv.LANGUAGE.parse(SourceText("model.smv", source))
    elaborated = nusmv.LANGUAGE.elaborate(parsed)
    assert elaborated.program is not None, elaborated.diagnostics
    chosen = Options(level, strategy=strategy, equivalence=equivalence)
    return analysed(elaborated, chosen, memory)


def check_same(kept: Report, fresh: Report) -> None:
    """Compare two runs in all that is a verdict."""
    assert [(p.name, p.verdict, p.vacuity) for p in fresh.properties] == [
        (p.name, p.verdict, p.vacuity) for p in kept.properties
    ]
    assert [(p.name, set(p.must or ())) for p in fresh.properties] == [
        (p.name, set(p.must or ())) for p in kept.properties
    ]
    assert [(m.mutant, m.status, m.killed_by) for m in fresh.mutants] == [
        (m.mutant, m.status, m.killed_by) for m in kept.mutants
    ]
    assert MutantStatus.UNKNOWN not in {m.status for m in kept.mutants}


def moved(source: str) -> str:
    """Return the text with other layout and comments."""
    lines = source.replace("-- Two rings", "\n/-- Rings\n--/\n-- Three rings").splitlines()
    return "\n".join(f"{line}   -- {number}\n" for number, line in enumerate(lines)) + "\n"


def check_comments_are_free(source: str, memory: Memory, known: Report) -> None:
    again = report(moved(source), memory)
    check_same(again, known)
    assert [p.trace is None for p in known.properties] == [
        p.trace is None for p in again.properties
    ]
    assert 0 == again.statistics.decided
    # Where nothing can fail, that is found out again: it is the model that is wrong.
    if not any(p.vacuity for p in known.properties):
        assert 0 == again.statistics.solver_calls
        assert len(again.properties) == again.statistics.properties_kept


edits = st.sampled_from([(slot, value) for slot, values in CHOICES.items() for value in values])


@profile(4)
@given(st.lists(edits, min_size=2, max_size=2))
def test_edits_give_the_verdicts_of_a_run_from_scratch(changes: list[tuple[str, str]]) -> None:
    memory = Memory()
    chosen: dict[str, str] = {}
    report(text(chosen), memory)
    for slot, value in changes:
        chosen[slot] = value
        kept = report(text(chosen), memory)
        check_same(kept, report(text(chosen), Memory()))
        check_comments_are_free(text(chosen), memory, kept)


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("next_at", CHOICES["next_at"][2]),
        ("next_set", "on"),
        ("fairness", "FAIRNESS go"),
        ("constraint", "INIT !set"),
    ],
)
def test_an_edit_that_is_taken_back_costs_only_replays(slot: str, value: str) -> None:
    memory = Memory()
    first = report(text({}), memory)
    report(text({slot: value}), memory)
    again = report(text({}), memory)
    check_same(again, first)
    check_same(again, report(text({}), Memory()))


SEPARATE = """\
MODULE counter
VAR
  n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := {};
INVARSPEC NAME bounded := n <= 2;
CTLSPEC NAME goes_home := AG AF n = 0

MODULE toggle
VAR
  up : boolean;
ASSIGN
  init(up) := FALSE;
  next(up) := !up;
DEFINE
  down := !up;
INVARSPEC NAME either := up | down;
CTLSPEC NAME both_ways := AG (EF up & EF down)
LTLSPEC NAME changes := G (up -> X down)

MODULE main
VAR
  c : counter;
  t : toggle;
"""


def test_an_edit_in_one_module_decides_nothing_of_another_again() -> None:
    memory = Memory()
    report(SEPARATE.format("n = 2 ? 0 : (n + 1) mod 4"), memory)
    for body in (
        "n = 1 ? 0 : (n + 1) mod 4",
        "case n < 2 : n + 1; TRUE : 0; esac",
        "(n + 1) mod 3",
    ):
        source = SEPARATE.format(body)
        kept = report(source, memory)
        check_same(kept, report(source, Memory()))
        owner = owners(source)
        of_toggle = [m for m in kept.mutants if owner[m.mutant] == "toggle"]
        assert 5 <= len(of_toggle)
        assert Origin.DECIDED not in {m.origin for m in of_toggle}
        anew = {m.mutant for m in kept.mutants if m.origin is Origin.DECIDED}
        assert anew <= {name for name, module in owner.items() if module == "counter"}


@pytest.mark.parametrize("first", ["CTLSPEC", "LTLSPEC", "INVARSPEC"])
@pytest.mark.parametrize("then", ["CTLSPEC", "LTLSPEC", "INVARSPEC"])
def test_a_property_that_changes_its_logic_alone_is_decided_again(first: str, then: str) -> None:
    frame = (
        "MODULE main\nVAR x : 0..3;\n"
        "ASSIGN init(x) := 0; next(x) := (x + 1) mod 4;\n{} NAME p := x = 0;\n"
    )
    memory = Memory()
    report(frame.format(first), memory)
    kept = report(frame.format(then), memory)
    check_same(kept, report(frame.format(then), Memory()))
    expected = PropertyVerdict.FALSIFIED if then == "INVARSPEC" else PropertyVerdict.PROVED
    assert [expected] == [p.verdict for p in kept.properties]


def test_a_fair_pair_of_the_terms_of_two_fairness_conditions_is_something_else() -> None:
    frame = "MODULE main\nVAR a : boolean; b : boolean;\n{}\nLTLSPEC G F a\n"
    memory, verdicts = Memory(), []
    for fairness in ("JUSTICE a\nJUSTICE b", "COMPASSION (a, b)", "JUSTICE a\nJUSTICE b"):
        verdicts += [stated.verdict for stated in report(frame.format(fairness), memory).properties]
    assert verdicts == [PropertyVerdict.PROVED, PropertyVerdict.FALSIFIED, PropertyVerdict.PROVED]


def test_a_witness_is_shown_again() -> None:
    source = "MODULE main\nVAR x : boolean;\nASSIGN init(x) := FALSE;\nCTLSPEC NAME p := EF x\n"
    memory = Memory()
    first = report(source, memory)
    assert first.properties[0].trace is not None
    check_comments_are_free(source, memory, first)


def test_a_property_that_says_more_under_its_name_is_asked_of_all_mutants_again() -> None:
    memory = Memory()
    report(text({}), memory)
    source = text({"keeps": "left.at = c -> seen.set"})
    kept = report(source, memory)
    check_same(kept, report(source, Memory()))
    assert any("keeps" in m.killed_by for m in kept.mutants)


def owners(source: str) -> dict[str, str]:
    """Return the module of every mutant."""
    queries = Queries()
    elaborated = queries.elaborated("nusmv", SourceText("model.smv", source))
    listing = queries.listing("nusmv", elaborated, Options())
    return {place.mutant: place.element.component for place in listing.mutants}


LATCH = """MODULE {name}(on)
VAR
  set : boolean;
ASSIGN
  init(set) := FALSE;
  next(set) := {step};
"""
TWO_LATCHES = """
MODULE main
VAR
  on : boolean;
  one : latch(on);
  two : {second}(on);
"""


@pytest.mark.parametrize(
    ("step", "stated"),
    [
        ("set | on", "CTLSPEC AG ((one.set -> AX one.set) & (two.set -> AX two.set))\n"),
        ("on", "INVAR one.set = two.set\nCTLSPEC AG (one.set -> two.set)\n"),
    ],
)
def test_an_instance_of_a_copied_module_has_mutants_of_its_own(step: str, stated: str) -> None:
    """They say the same, but what a mutant of either module changes is other than before."""
    latch, copy = (LATCH.format(name=name, step=step) for name in ("latch", "copy"))
    together = latch + TWO_LATCHES.format(second="latch") + stated
    apart = latch + copy + TWO_LATCHES.format(second="copy") + stated
    memory = Memory()
    for source in (together, apart, together):
        check_same(report(source, memory), report(source, Memory()))


def test_proofs_that_one_strategy_used_are_no_proofs_of_what_another_one_saw() -> None:
    stated = """\
MODULE main
VAR
  n : 0..7;
ASSIGN
  init(n) := 0;
  next(n) := case n < 3 : n + 1; TRUE : 0; esac;
INVARSPEC NAME p := n < 5;
INVARSPEC NAME q := n < 6;
"""
    false = stated.replace("n < 5", "n < 2")
    memory = Memory()
    report(stated, memory)
    report(false, memory, strategy="restart")
    found = {p.name: p.verdict for p in report(false, memory).properties}
    assert found == {"p": PropertyVerdict.FALSIFIED, "q": PropertyVerdict.PROVED}


CHOOSING = """\
MODULE main
VAR
  n : 0..2;
  on : boolean;
DEFINE
  other := {};
  some := on ? {{0, 1}} : other;
  cells := [1, (n in some ? 1 : 0)];
ASSIGN
  init(n) := 0;
  next(n) := cells[0];
INVARSPEC NAME low := n < 2
"""


def test_a_macro_that_reads_an_edited_one_is_compared_again() -> None:
    memory = Memory()
    statuses: set[object] = set()
    for members in ("{0, 1}", "{1, 2}", "{0, 1}"):
        source = CHOOSING.format(members)
        kept, fresh = (report(source, m, equivalence="outputs") for m in (memory, Memory()))
        check_same(kept, fresh)
        compared = [
            {m.mutant: m.equivalence and m.equivalence.status for m in one.mutants}
            for one in (fresh, kept)
        ]
        assert compared[0] == compared[1]
        statuses.add(frozenset(compared[0].items()))
    assert len(statuses) == 2
