"""Advice on Lustre models: each fault where it is, and explicit states against each answer."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from mutproof.analyses.advising import asking
from mutproof.analyses.advising.advice import AdviceFinding, AdviceStatus, Backing
from mutproof.analyses.advising.meta_properties import META_PROPERTIES
from mutproof.analyses.advising.question import ModelQuestion
from mutproof.analyses.checking.means import Means
from mutproof.base.budget import Budget
from mutproof.model.interpretation import interpretation
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.advice_places import advice_span
from mutproof.workspace.advising import subject_of
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.explicit_state import TooLargeError, shortest_failures
from support.lustre_models import random_model
from support.reading import accepted_in, analysed, elaborated_in

COUNTER = """\
node counter (reset, unused : bool) returns (n : int; small : bool);
var dead : int; k : int;
let
  k = 0 -> pre k;
  dead = n + k;
  n = 0 -> if reset then 0 else if pre n > 9 then 0 else if pre n < 0 then 5 else pre n + 1;
  small = n <= 10 and (n > 3 or n < 100);
tel;
node main (x : bool) returns (a, b : int; ok : bool);
var s1, s2 : bool;
let
  a, s1 = counter(x, x);
  b, s2 = counter(false, x);
  ok = (x and a > 20) => s1;
  --%PROPERTY ok;
tel;
"""


def given(text: str, *names: str) -> AdviceFinding:
    """Return the advice on a text, of some meta-properties or of all."""
    options = Options(mutate=False, cores=False, advise=names or META_PROPERTIES.names())
    report = analysed(accepted_in("lustre", text), options)
    assert report.advice is not None
    return report.advice


def check_advice(text: str, names: tuple[str, ...], *expected: str) -> None:
    """Check that this is all the advice of some meta-properties, in the order of places."""
    found, advice = accepted_in("lustre", text), given(text, *names).advice
    placed = []
    for one in advice:
        place = found.parsed.source.position(advice_span(found, one).start)
        where = f" in {', '.join(one.instances)}" if one.instances else ""
        placed.append(((place.line, place.column), f"{one.meta_property} {one.message}{where}"))
    assert [*expected] == [f"{line}:{column} {said}" for (line, column), said in sorted(placed)]
    assert {AdviceStatus.FOUND} == {one.status for one in advice}


def test_faults_of_a_model_with_instances() -> None:
    check_advice(
        COUNTER,
        (),
        "1:15 MP6 `reset` is never true in counter@b.",
        "1:22 MP7 nothing reads the input `unused`",
        "1:55 MP6 `small` is never false",
        "2:5 MP8 nothing reads `dead`",
        "2:17 constant-variable `k` never changes",
        "6:15 MP1 `reset` is never true here in counter@b.",
        "6:61 MP1 `pre n < 0` is never true here",
        "7:11 constant-operand `n <= 10` is always true",
        "7:24 constant-operand `n > 3 or n < 100` is always true",
        "7:33 constant-operand `n < 100` is always true",
        "10:5 MP6 `s1` is never false",
        "10:9 MP6 `s2` is never false",
        "10:9 MP8 nothing reads `s2`",
        "15:15 MP10 ok is true, but says nothing: its premise never holds",
    )


def test_what_is_said_of_an_instance_holds_there() -> None:
    check_advice(
        """\
node held(n: subrange [0, 3] of int; on: bool) returns (m: int);
let
  m = if on then n else 0;
tel;
node main(b: bool; k: subrange [0, 1] of int) returns (x, y, z: int);
let
  x = held(k, true);
  y = held(if b then k else 1, b);
  z = held(2, false);
tel;
""",
        ("MP2", "MP6"),
        "1:11 MP6 `n` is never 0, 1, 3 in held@z.",
        "1:11 MP6 `n` is never 2, 3 in held@x., held@y.",
        "1:38 MP6 `on` is never false in held@x.",
        "1:38 MP6 `on` is never true in held@z.",
        "3:10 MP2 this branch is never taken in held@z.",
        "3:25 MP2 this branch is never taken: `on` is always true in held@x.",
    )


def test_evidence_is_certificates_and_executions() -> None:
    backing = {one.backing for one in given(COUNTER).advice}
    assert {Backing.CERTIFICATE, Backing.TEXT} == backing


@pytest.mark.parametrize(
    ("body", "names", "expected"),
    [
        ("if x or not x then 1 else 2", ("MP2",), ("3:31 MP2", "`x or not x` is always true")),
        ("if x then (if x then 1 else 2) else 3", ("MP2",), ("3:32 MP2", "always true here")),
        ("if x then (if not x then 1 else 2) else 3", ("MP1",), ("3:18 MP1", "never true here")),
        ("3 -> (if true -> pre x then 3 else pre y)", ("idle-arrow",), ("3:7 idle-arrow", "`3`")),
        ("3 -> pre y", ("constant-variable",), ("1:28 constant-variable", "`y` never changes")),
    ],
)
def test_a_fault_of_an_equation(
    body: str, names: tuple[str, ...], expected: tuple[str, str]
) -> None:
    text = f"node main (x : bool) returns (y : int);\nlet\n  y = {body};\ntel;\n"
    found = accepted_in("lustre", text)
    said = [
        (one.meta_property, found.parsed.source.position(advice_span(found, one).start), one)
        for one in given(text, *names).advice
    ]
    assert len(said) == 1, said
    name, place, advice = said[0]
    assert expected[0].split()[1] == name
    assert expected[1] in advice.message
    assert expected[0].split()[0].split(":")[0] == str(place.line) or name == "constant-variable"


def test_what_a_memory_reads_is_evaluated_in_first_steps_too() -> None:
    text = """\
node main (x : bool) returns (y : int);
var first : bool;
let
  first = true -> false;
  y = 0 -> pre (if first then 1 else 2);
tel;
"""
    assert () == given(text, "MP1", "MP2").advice


def test_an_arrow_that_matters_is_no_fault() -> None:
    text = "node main (x : bool) returns (y : int);\nlet\n  y = 0 -> pre y + 1;\ntel;\n"
    assert () == given(text, "idle-arrow", "constant-variable").advice


def test_values_of_enumerations_and_ranges() -> None:
    text = """\
type color = enum {RED, GREEN, BLUE};
node main (x : bool) returns (c : color; s : subrange [0, 4] of int);
let
  c = if x then RED else BLUE;
  s = 1 -> if x then 3 else pre s;
tel;
"""
    check_advice(text, ("MP6",), "2:31 MP6 `c` is never GREEN", "2:42 MP6 `s` is never 0, 2, 4")


def test_explicit_states_say_the_same() -> None:
    """What is asked of random models is decided by visiting all their states."""
    compared: Counter[bool] = Counter()
    for seed in range(100):
        model = random_model(random.Random(f"advice {seed}"), finite=True).text
        found = accepted_in("lustre", model)
        program = found.program
        assert program is not None
        subject = subject_of(found, program, {})
        questions: list[ModelQuestion] = [
            conditional.place.never(branch.taken)
            for conditional in subject.conditionals()
            for branch in conditional.branches
        ]
        budget = Budget(30_000_000, 10.0)
        means = Means(budget, SpacerProcess(), Memory().benches, lambda: None)
        answers = asking.answers(program, questions, means)
        means.spacer.rest()
        stated, names = asking.stating(program, list(dict.fromkeys(questions)))
        try:
            failures = shortest_failures(interpretation(stated).system())
        except (TooLargeError, AssertionError):
            continue
        for name, question in names.items():
            if not answers[question].is_open:
                assert answers[question].fails == (name in failures), f"{name}\n{model}"
                compared[name in failures] += 1
    assert min(compared[True], compared[False]) > 10


def test_what_an_assertion_states_is_no_finding() -> None:
    text = """\
node main (a, b : int; c : bool) returns (ok : bool);
let
  assert a > 0 and (c => a > 0) and not (b > 3 or b < 0);
  assert if c then a < 9 and b < 2 else not (a > 5 => b > 2);
  assert true -> (a > 1 and pre b < 8);
  assert a > 0 or c;
  ok = a > 0 and c;
  --%PROPERTY ok;
tel;
"""
    check_advice(
        text,
        ("constant-operand",),
        "3:26 constant-operand `a > 0` is always true",
        "6:10 constant-operand `a > 0` is always true",
    )


TIMER = """\
node timer(reset : bool) returns (elapsed : int);
let
  elapsed = 0 -> if reset then 0 else if pre elapsed < 100 then pre elapsed + 1 else pre elapsed;
tel;
node main(sense, enable : bool) returns (pace, ok : bool);
var t : int;
let
  t = timer(false -> pre (pace or sense));
  pace = enable and t >= 100 and not sense;
  ok = pace => not sense;
  --%PROPERTY ok;
tel;
"""


def test_no_engine_is_asked_for_what_long_executions_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """A timer runs out after a hundred steps, which is far for a search by solvers."""
    found = elaborated_in("lustre", TIMER)
    asked: list[str] = []

    def prove(*_: object, goals: Sequence[str], **__: object) -> None:
        asked.extend(goals)

    monkeypatch.setattr(asking.portfolio, "prove", prove)
    chosen = ("MP2", "MP6", "MP7")
    wanted = Options(advise=chosen, cores=False)
    analysed(found, wanted)

    assert [] == asked
