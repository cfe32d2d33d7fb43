"""Advice on models: each fault where it is, and what brute force says of small random models."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from mutproof.analyses.advising import asking
from mutproof.analyses.advising.advice import Advice, AdviceFinding, AdviceStatus, Backing
from mutproof.analyses.advising.advise import advise
from mutproof.analyses.advising.meta_properties import META_PROPERTIES
from mutproof.analyses.advising.question import AnswerKind, ModelAnswer, ModelQuestion
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.proving import vacuity
from mutproof.base.budget import Budget
from mutproof.base.diagnostics import Severity, has_errors
from mutproof.model import walk
from mutproof.model.editing import TextEdit, edited
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId, ElementKind, Program
from mutproof.model.roles import roles
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.advice_places import advice_span
from mutproof.workspace.advising import subject_of
from mutproof.workspace.analysis import Cancelled, Memory
from mutproof.workspace.answering import analyse
from mutproof.workspace.events import Event
from mutproof.workspace.meaning import meaning_of
from mutproof.workspace.options import Options
from support.nusmv_mutants import elaborated
from support.nusmv_random import random_text
from support.reading import analysed
from support.tree_nusmv import TooLargeError
from support.tree_nusmv import read as read_tree
from support.tree_nusmv_advice import Brute, vacuous
from support.tree_nusmv_space import Space
from support.tree_nusmv_temporal import verdict
from support.tree_nusmv_uses import idle
from support.tree_nusmv_values import UndefinedError

EXAMPLES = Path(__file__).parents[2] / "examples"
ALL = META_PROPERTIES.names()
ASKED_OF_STATES = ("MP1", "MP2", "MP3", "MP4", "MP5", "MP6")


def given(text: str, *names: str, budget: Budget | None = None) -> AdviceFinding:
    """Return the advice on a text, of some meta-properties or of all."""
    options = Options(mutate=False, cores=False, advise=names or ALL, budget=budget or Budget())
    report = analysed(elaborated(text), options)
    assert report.advice is not None
    assert not report.advice.left
    return report.advice


def test_what_the_text_alone_says_is_told_before_anything_is_asked() -> None:
    """Whoever gives up later, when time is up, has it."""
    text = "MODULE main\nVAR p : boolean; q : boolean;\nASSIGN next(q) := !q;\nSPEC AG AF q;\n"
    told: list[AdviceFinding] = []

    def tell(event: Event) -> None:
        if isinstance(event, AdviceFinding):
            told.append(event)

    options = Options(mutate=False, cores=False, advise=ALL)
    with pytest.raises(Cancelled):
        analyse(elaborated(text), options, Memory(), tell, cancelled=lambda: True)
    (known,) = told
    whole = given(text).advice
    by_text = tuple(one for one in whole if one.backing is Backing.TEXT)
    assert ["MP7"] == [one.meta_property for one in by_text]
    assert by_text == known.advice
    assert known.left


def placed(text: str, advice: Advice) -> str:
    """Return a piece of advice with its place, which is 1-based."""
    found = elaborated(text)
    place = found.parsed.source.position(advice_span(found, advice).start)
    where = f" in {', '.join(advice.instances)}" if advice.instances else ""
    return f"{place} {advice.meta_property} {advice.message}{where}"


def check_advice(text: str, *expected: str) -> tuple[Advice, ...]:
    """Check that this is all the advice on a text, none of it unknown; return it."""
    advice = given(text).advice
    assert sorted(expected) == sorted(placed(text, one) for one in advice)
    assert {AdviceStatus.FOUND} >= {one.status for one in advice}
    assert Backing.NONE not in {one.backing for one in advice}
    return advice


# --- each fault, where it is ----------------------------------------------------------------------


def test_a_condition_that_is_never_true() -> None:
    text = """\
MODULE main
VAR n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := case n = 3 : 0; n > 3 : 1; n < 3 : n + 1; esac;
INVARSPEC n < 4;
"""
    (found,) = check_advice(text, "5:30 MP1 `n > 3` is never true")
    assert Backing.CERTIFICATE is found.backing


def test_a_branch_that_is_never_taken() -> None:
    text = """\
MODULE main
VAR n : 0..3; up : boolean;
ASSIGN
  init(n) := 0;
  next(n) := case up & n < 3 : n + 1; !up | n = 3 : 0; n = 3 : 0; n < 3 & up : n; TRUE : 0; esac;
"""
    found = given(text, "MP2").advice
    assert [
        "5:56 MP2 this branch is never taken: `!up | n = 3` comes first",
        "5:67 MP2 this branch is never taken: `up & n < 3` comes first",
    ] == [placed(text, one) for one in found]


def test_a_branch_of_a_choice_that_is_never_taken() -> None:
    text = """\
MODULE main
VAR n : 0..3;
DEFINE m := n < 4 ? n : 0;
ASSIGN next(n) := m;
"""
    (found,) = given(text, "MP1", "MP2").advice
    assert "3:25 MP2 this branch is never taken: `n < 4` is always true" == placed(text, found)


def test_conditions_that_hold_together() -> None:
    text = """\
MODULE main
VAR n : 0..3; low : boolean; same : boolean;
ASSIGN
  init(n) := 0;
  next(n) := (n + 1) mod 4;
  low := case n < 2 : TRUE; n >= 1 : FALSE; esac;
  same := case n < 2 : n = 0; n = 1 : FALSE; n > 1 : TRUE; esac;
"""
    found = check_advice(
        text,
        "6:29 MP3 `n >= 1` is also true where `n < 2` is, at step 1; the first counts, and its"
        " value is another",
        "7:31 MP3 `n = 1` is also true where `n < 2` is, at step 1; both have one value there",
        "7:31 MP2 this branch is never taken: `n < 2` comes first",
    )
    shown = {(one.backing, one.trace.steps[one.step]["n"]) for one in found if one.trace}
    assert {(Backing.TRACE, 1)} == shown


def test_a_default_that_is_taken() -> None:
    text = """\
MODULE main
VAR n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := case n < 2 : n + 1; n = 3 : 0; TRUE : 3; esac;
INVARSPEC n < 4;
"""
    (found,) = check_advice(
        text, "5:45 MP4 the default is taken: no other condition holds at step 2"
    )
    assert found.trace is not None
    assert 2 == found.trace.steps[2]["n"]


def test_a_default_that_nothing_needs_is_no_fault() -> None:
    check_advice("""\
MODULE main
VAR n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := case n < 3 : n + 1; n = 3 : 0; TRUE : 3; esac;
INVARSPEC n < 4;
""")


def test_an_assignment_that_changes_nothing() -> None:
    text = """\
MODULE main
VAR n : 0..3; up : boolean; k : {a, b};
ASSIGN
  init(n) := 0;
  next(n) := case up & n < 3 : n + 1; !up : max(n, 0); up : 0; esac;
  next(k) := case up : {k, a, b}; !up : {k}; esac;
"""
    found = given(text, "MP5").advice
    assert ["5:45 MP5 this never changes `n`", "6:41 MP5 this never changes `k`"] == [
        placed(text, one) for one in found
    ]


def test_a_default_that_keeps_a_variable_is_no_fault() -> None:
    text = """\
MODULE main
VAR n : array 0..1 of boolean;
ASSIGN
  next(n[0]) := case n[1] : !n[0]; TRUE : n[0]; esac;
  next(n[1]) := n[1];
"""
    assert ["5:17 MP5 this never changes `n[1]`"] == [
        placed(text, one) for one in given(text, "MP5").advice
    ]


def test_values_that_are_never_taken() -> None:
    text = """\
MODULE main
VAR n : 0..9; w : word[8]; k : {off, idle, on}; b : boolean; c : array 0..1 of boolean;
FROZENVAR f : 1..2;
IVAR i : 0..1;
ASSIGN
  init(n) := 2;
  next(n) := case n < 5 : n + 1; n = 5 : 7; n > 5 : 2; esac;
  init(w) := 0ud8_0;
  next(w) := w < 0ud8_200 ? w + 0ud8_8 : 0ud8_0;
  k := n > 4 ? on : off;
  b := n < 9;
  c[0] := TRUE;
TRANS i = 0;
"""
    assert [
        "2:5 MP6 `n` is never 0, 1, 6, 8, 9",
        "2:15 MP6 `w` is never 0ud8_1..0ud8_7, 0ud8_9..0ud8_15, 0ud8_1",
        "2:28 MP6 `k` is never idle",
        "2:49 MP6 `b` is never FALSE",
        "2:62 MP6 `c[0]` is never FALSE",
        "4:6 MP6 `i` is never 1",
    ] == [placed(text, one)[:61] for one in given(text, "MP6").advice]


def test_of_many_values_that_are_never_taken_some_are_named() -> None:
    text = """\
MODULE main
VAR w : unsigned word[7];
ASSIGN
  init(w) := 0ud7_0;
  next(w) := w < 0ud7_120 ? w + 0ud7_8 : 0ud7_0;
"""
    (found,) = given(text, "MP6").advice
    named = ", ".join(f"0ud7_{n * 8 + 1}..0ud7_{n * 8 + 7}" for n in range(8))
    assert f"2:5 MP6 `w` is never {named}, nor any of 56 more values" == placed(text, found)


def test_variables_that_nothing_reads() -> None:
    text = """\
MODULE main
VAR a : boolean; b : boolean; c : boolean; d : boolean; e : boolean; f : boolean;
DEFINE unread := a & c; read := d;
ASSIGN
  init(b) := TRUE;
  next(b) := !b;
  next(e) := e != f;
  next(c) := {TRUE, FALSE};
INVARSPEC read | !read;
"""
    found = given(text, "MP7", "MP8").advice
    assert [
        "2:5 MP7 nothing assigns `a`, and nothing reads it",
        "2:18 MP8 nothing reads `b`, whose values depend on nothing else",
        "2:31 MP8 nothing reads `c`, whose values depend on nothing else",
    ] == [placed(text, one) for one in found]
    assert {Backing.TEXT} == {one.backing for one in found}


def test_macros_that_nothing_reads() -> None:
    text = """\
MODULE part(bound, limit)
VAR n : 0..3;
DEFINE low := n < bound; high := n > 1; none := high;
ASSIGN next(n) := low ? 0 : n;
MODULE main
VAR p : part(two, unused); q : part(2, 1); r : 0..top; a : array 0..1 of boolean;
DEFINE two := 2; unused := 1; top := 3; first := 0; chosen := {1, 2}; last := chosen;
ASSIGN next(a[first]) := p.high;
INVARSPEC NAME stated := r in chosen;
"""
    assert [
        "7:18 unread-macro nothing reads `unused`",
        "7:71 unread-macro nothing reads `last`",
        "3:41 unread-macro nothing reads `none`",
    ] == [placed(text, one) for one in given(text, "unread-macro").advice]
    text = "MODULE main\nVAR a : boolean;\nDEFINE inner := a; outer := inner;\n"
    assert [
        "3:8 unread-macro nothing reads `inner` but macros that nothing reads",
        "3:20 unread-macro nothing reads `outer`",
    ] == [placed(text, one) for one in given(text, "unread-macro").advice]


def test_a_property_that_is_false() -> None:
    text = """\
MODULE main
VAR n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := (n + 1) mod 4;
CTLSPEC NAME low := AG n < 2;
INVARSPEC NAME small := n < 4;
INVARSPEC NAME less := n < 3;
"""
    found = given(text, "MP9").advice
    assert ["6:14 MP9 low is not true", "8:16 MP9 less is not true"] == [
        placed(text, one) for one in found
    ]
    assert [Backing.DIAGRAMS, Backing.TRACE] == [one.backing for one in found]
    assert [2, 3] == [one.step for one in found]


def test_properties_that_are_vacuous() -> None:
    text = """\
MODULE main
VAR n : 0..3; p : boolean;
ASSIGN
  init(n) := 0;
  next(n) := (n + 1) mod 4;
CTLSPEC NAME idle := AG (n > 3 -> AX p);
CTLSPEC NAME comes := AG (p -> AF n = 0);
LTLSPEC NAME steps := G (n = 1 -> X n = 2);
INVARSPEC NAME either := n < 4 | p;
"""
    found = given(text, "MP10").advice
    assert [
        "6:14 MP10 idle is true, but says nothing: its premise never holds",
        "7:14 MP10 comes is true whatever `p` is",
        "9:16 MP10 either is true whatever `p` is",
    ] == [placed(text, one) for one in found]


def test_parts_that_matter_though_no_constant_in_their_place_does() -> None:
    text = """\
MODULE main
VAR p : boolean; q : boolean; never : boolean;
ASSIGN
  init(never) := FALSE;
  next(never) := FALSE;
  init(p) := FALSE;
  next(p) := FALSE;
  init(q) := FALSE;
  next(q) := !q;
LTLSPEC NAME some_xor := F (p xor q);
LTLSPEC NAME often_same := G F (p <-> q);
CTLSPEC NAME once_same := AF (p <-> q);
LTLSPEC NAME idle := F ((p & never) xor q);
"""
    # If p were q, the first would be false; so it matters what p is. The other two, if p were !q.
    found = given(text, "MP10").advice
    assert ["13:14 MP10 idle is true whatever `p` or `never` is"] == [
        placed(text, one) for one in found
    ]


def test_what_is_written_once_is_not_called_idle_where_it_is_so_in_one_place_of_several() -> None:
    text = """\
MODULE main
VAR b : boolean; c : boolean;
ASSIGN init(b) := TRUE; next(b) := TRUE;
PSLSPEC NAME soon := always (c -> next_e[0:2] (b));
LTLSPEC NAME written := G (b | X b);
"""
    assert [
        "4:14 MP10 soon is true whatever `c` is",
        "5:14 MP10 written is true whatever `b` or `X b` is",
    ] == [placed(text, one) for one in given(text, "MP10").advice]


def test_the_clock_of_the_paper() -> None:
    text = (EXAMPLES / "clock.smv").read_text(encoding="utf-8")
    (found,) = given(text).advice
    assert ("MP3", 11) == (found.meta_property, found.step)
    assert found.trace is not None
    assert 11 == found.trace.steps[11]["hour"]
    assert placed(text, found).endswith(
        "`hour < 12` is, at step 11; the first counts, and its value is another"
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("hour >= 11", "hour > 11", []),
        (
            "hour < 12 : AM;\n      hour >= 11 : PM;",
            "hour >= 11 : PM;\n      hour < 12 : AM;",
            ["MP3"],
        ),
    ],
    ids=["another bound (equivalent)", "branches change places (not equivalent)"],
)
def test_mutants_of_the_clock(old: str, new: str, expected: list[str]) -> None:
    text = (EXAMPLES / "clock.smv").read_text(encoding="utf-8")
    assert old in text
    found = given(text.replace(old, new)).advice
    assert expected == [one.meta_property for one in found]


# --- where it holds -------------------------------------------------------------------------------

INSTANCES = """\
MODULE cell(limit)
VAR n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := case n < limit : n + 1; n = 7 : 0; n >= limit : 0; esac;
MODULE main
VAR low : cell(2); high : cell(3);
INVARSPEC low.n <= 2 & high.n <= 3;
"""


def test_advice_names_the_instances_unless_it_holds_in_all() -> None:
    check_advice(
        INSTANCES,
        "2:5 MP6 `n` is never 3 in low",
        "5:38 MP1 `n = 7` is never true",
    )


def test_nested_conditionals_are_judged_where_they_are_evaluated() -> None:
    text = """\
MODULE main
VAR n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := case n < 2 : (n > 2 ? 0 : n + 1); n > 5 : (n = 1 ? 0 : 1); TRUE : 0; esac;
"""
    found = given(text, "MP1").advice
    assert ["5:48 MP1 `n > 5` is never true", "5:28 MP1 `n > 2` is never true here"] == [
        placed(text, one) for one in found
    ]


def test_first_values_are_judged_in_first_states() -> None:
    text = """\
MODULE main
VAR n : 0..3; p : boolean;
ASSIGN
  init(p) := TRUE;
  init(n) := case p : 1; !p : 2; esac;
  next(n) := (n + 1) mod 4;
"""
    found = given(text, "MP1").advice
    assert ["5:26 MP1 `!p` is never true"] == [placed(text, one) for one in found]


def test_conditions_on_steps_are_asked_of_steps() -> None:
    text = """\
MODULE main
VAR n : 0..3; m : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := (n + 1) mod 4;
  init(m) := 0;
  next(m) := case next(n) = n : 1; next(n) > n : 2; next(n) < n : 3; esac;
"""
    found = given(text, "MP1").advice
    assert ["7:19 MP1 `next(n) = n` is never true"] == [placed(text, one) for one in found]
    assert {Backing.DIAGRAMS} == {one.backing for one in found}


def test_without_a_first_state_nothing_is_said() -> None:
    text = "MODULE main\nVAR p : boolean;\nINIT p;\nINVAR !p;\n"
    found = given(text, "MP1", "MP6").advice
    assert [AdviceStatus.UNKNOWN] * 2 == [one.status for one in found]
    assert all("no state satisfies" in one.reason for one in found)


def test_what_is_not_decided_is_unknown() -> None:
    text = """\
MODULE main
VAR n : integer; m : integer;
ASSIGN
  init(n) := 1;
  next(n) := n * n * m + n;
  next(m) := case n * n * n = 2 * m * m * m : 1; TRUE : m + 1; esac;
"""
    found = given(text, "MP1", budget=Budget(1, 1.0)).advice
    assert [AdviceStatus.UNKNOWN] == [one.status for one in found]
    assert found[0].reason


@pytest.mark.parametrize("name", ["MP1", "MP2"])
def test_what_may_never_be_evaluated_is_unknown_and_not_left_out(name: str) -> None:
    text = """\
MODULE main
VAR p : boolean; q : boolean; n : 0..3;
ASSIGN next(n) := case p : case q & !q : 1; TRUE : 2; esac; TRUE : n; esac;
"""

    def answer(
        program: Program, questions: Sequence[ModelQuestion], means: Means
    ) -> Mapping[ModelQuestion, ModelAnswer]:
        """Answer that `p` alone may never be true; its case is asked about with it."""
        found = asking.answers(program, questions, means)
        unsure = ModelAnswer(AnswerKind.UNKNOWN, reason="out of time")
        alone = {q for q in questions if {"p"} == set(walk.variables(q.stated))}
        return {q: unsure if q in alone else known for q, known in found.items()}

    found = elaborated(text)
    assert found.program is not None
    subject = subject_of(found, found.program, {})
    means = Means(Budget(), SpacerProcess(), Memory().benches, lambda: None)
    try:
        inner = [
            one
            for one in advise(subject, (name,), means, answer=answer).advice
            if "!q" in one.message
        ]
    finally:
        means.spacer.rest()
    assert [(AdviceStatus.UNKNOWN, "out of time")] == [(one.status, one.reason) for one in inner]


def test_infinite_models_have_certificates_too() -> None:
    text = """\
MODULE main
VAR n : integer;
ASSIGN
  init(n) := 0;
  next(n) := case n < 0 : 0; n < 5 : n + 2; TRUE : n; esac;
"""
    found = given(text, "MP1", "MP4").advice
    assert ["MP1", "MP4"] == [one.meta_property for one in found]
    assert [Backing.CERTIFICATE, Backing.TRACE] == [one.backing for one in found]
    assert 3 == found[1].step


def test_what_functions_mean_is_no_conditional() -> None:
    text = "MODULE main\nVAR n : 0..3;\nASSIGN next(n) := max(abs(n), min(2, n));\n"
    assert () == given(text, "MP1", "MP2").advice


def test_what_one_meta_property_says_no_other_one_says_again() -> None:
    text = """\
MODULE main
VAR n : 0..3;
ASSIGN next(n) := case n > 3 : 0; n <= 3 : n; esac;
"""
    assert ["MP1"] == [one.meta_property for one in given(text, "MP1", "MP2").advice]
    assert ["MP2"] == [one.meta_property for one in given(text, "MP2").advice]


# --- brute force ----------------------------------------------------------------------------------


def tried(found: Elaborated, text: str) -> Counter[tuple[str, int, frozenset[str]]] | None:
    """Return what trying everything says; None where that is too much, or there is no state."""
    assert found.program is not None
    try:
        brute = Brute(text, dict(roles(found.program)))
        return brute.advice() if brute.space.states else None
    except (TooLargeError, UndefinedError):
        return None


@pytest.mark.parametrize("block", range(10))
def test_brute_force_says_the_same(block: int) -> None:
    compared: Counter[str] = Counter()
    for seed in range(30 * block, 30 * (block + 1)):
        text = random_text(random.Random(f"advice {seed}"))
        found = elaborated(text)
        program = found.program
        if program is None or any(d.severity is Severity.ERROR for d in found.diagnostics):
            continue
        expected = tried(found, text)
        memory, budget = Memory(), Budget(30_000_000, 10.0)
        means = Means(budget, SpacerProcess(), memory.benches, lambda: None)
        meaning = meaning_of(found, program, Options())
        faults = vacuity.faults(meaning.system(), means, memory.proofs, meaning.run)
        if expected is None or any(vacuity.emptying(fault) for fault in faults):
            continue
        advice = advise(subject_of(found, program, {}), ASKED_OF_STATES, means, restated=True)
        means.spacer.rest()
        assert not advice.of(AdviceStatus.UNKNOWN), text
        said = Counter(
            (one.meta_property, advice_span(found, one).start, frozenset(one.instances))
            for one in advice.advice
        )
        assert expected == said, f"seed {seed}\n{text}"
        compared.update(name for name, _, _ in said.elements())
    assert {"MP1", "MP2", "MP5", "MP6"} <= compared.keys()


@pytest.mark.parametrize("block", range(5))
def test_brute_force_finds_the_same_properties_vacuous(block: int) -> None:
    compared: Counter[bool] = Counter()
    for seed in range(30 * block, 30 * (block + 1)):
        text = random_text(random.Random(f"vacuous {seed}"))
        found = elaborated(text)
        if found.program is None or any(d.severity is Severity.ERROR for d in found.diagnostics):
            continue
        budget = Budget(30_000_000, 10.0)
        options = Options(mutate=False, cores=False, advise=("MP10",), budget=budget)
        report = analysed(found, options)
        assert report.advice is not None
        said = {one.property: one.status for one in report.advice.advice}
        for number, finding in enumerate(report.properties):
            if finding.verdict is not PropertyVerdict.PROVED or finding.vacuity:
                continue
            try:
                expected = vacuous(text, number)
            except (TooLargeError, UndefinedError, ValueError):
                continue  # too large, or a variable that only the replaced part reads
            status = said.get(finding.declared)
            assert status is not AdviceStatus.UNKNOWN, text
            assert expected == (status is AdviceStatus.FOUND), f"{seed} {finding.name}\n{text}"
            compared[expected] += 1
    assert min(compared[True], compared[False]) > 0


@pytest.mark.parametrize("block", range(3))
def test_going_through_the_text_finds_the_same_variables_idle(block: int) -> None:
    compared: Counter[tuple[str, bool]] = Counter()
    for seed in range(100 * block, 100 * (block + 1)):
        text = random_text(random.Random(f"idle {seed}"))
        found = elaborated(text)
        if found.program is None or any(d.severity is Severity.ERROR for d in found.diagnostics):
            continue
        asked: dict[tuple[str, int], dict[str, bool]] = {}
        for (name, offset, instance), is_idle in idle(text):
            asked.setdefault((name, offset), {})[instance] = is_idle
            compared[name, is_idle] += 1
        expected = {
            (name, offset, () if all(of.values()) else tuple(i for i in of if of[i]))
            for (name, offset), of in asked.items()
            if any(of.values())
        }
        means = Means(Budget(), SpacerProcess(), Memory().benches, lambda: None)
        advice = advise(subject_of(found, found.program, {}), ("MP7", "MP8"), means).advice
        said = {(one.meta_property, advice_span(found, one).start, one.instances) for one in advice}
        assert expected == said, f"seed {seed}\n{text}"
    assert min(compared[name, idle_] for name in ("MP7", "MP8") for idle_ in (False, True)) > 0


def test_a_text_can_do_without_the_macros_that_nothing_reads_and_no_others() -> None:
    compared: Counter[bool] = Counter()
    for seed in range(30):
        text = random_text(random.Random(f"macros {seed}"))
        found = elaborated(text)
        if found.program is None or any(d.severity is Severity.ERROR for d in found.diagnostics):
            continue
        means = Means(Budget(), SpacerProcess(), Memory().benches, lambda: None)
        advice = advise(subject_of(found, found.program, {}), ("unread-macro",), means).advice
        unread = {one.variable for one in advice}
        macros = [e for e in found.program.elements() if e.kind is ElementKind.DEFINE]
        idle = {one.id for one in macros if one.targets[0] in unread}
        assert is_accepted(without(text, found, idle)), f"seed {seed}\n{text}"
        for identity in {one.id for one in macros} - idle:
            assert not is_accepted(without(text, found, idle | {identity})), f"seed {seed}\n{text}"
        compared.update(one.id in idle for one in macros)
    assert min(compared[True], compared[False]) > 0


def without(text: str, found: Elaborated, macros: set[ElementId]) -> str:
    """Return a text without these macros."""
    return edited(text, [TextEdit(found.provenance.whole(one), "") for one in sorted(macros)])


def is_accepted(text: str) -> bool:
    """Tell whether a text has no errors."""
    return not has_errors(elaborated(text).diagnostics)


def test_trying_all_states_finds_the_same_properties_false() -> None:
    compared: Counter[bool] = Counter()
    for seed in range(60):
        text = random_text(random.Random(f"false {seed}"))
        found = elaborated(text)
        if found.program is None or any(d.severity is Severity.ERROR for d in found.diagnostics):
            continue
        budget = Budget(30_000_000, 10.0)
        options = Options(mutate=False, cores=False, advise=("MP9",), budget=budget)
        report = analysed(found, options)
        assert report.advice is not None
        said = {one.property: one.status for one in report.advice.advice}
        model = read_tree(text)
        for number, finding in enumerate(report.properties):
            if finding.vacuity or finding.verdict is PropertyVerdict.UNKNOWN:
                continue
            try:
                held = verdict(Space(model), model.properties[number])
            except (TooLargeError, UndefinedError, ValueError):
                continue
            if isinstance(held, bool):
                is_said = said.get(finding.declared) is AdviceStatus.FOUND
                assert held != is_said, f"{seed} {finding.name}\n{text}"
                compared[held] += 1
    assert min(compared[True], compared[False]) > 10


def test_what_diagrams_alone_prove_has_no_certificate() -> None:
    model = "MODULE main\nVAR n : 0..3; b : boolean;\nASSIGN init(n) := 0; next(n) := 1;\n"
    for stated, backing in (
        ("SPEC AG (n = 3 -> EG b);\n", Backing.DIAGRAMS),
        ("SPEC AG (n = 3 -> b);\n", Backing.CERTIFICATE),
    ):
        assert [backing] == [one.backing for one in given(model + stated, "MP10").advice]
