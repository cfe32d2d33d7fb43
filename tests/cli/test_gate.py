"""`--fail-on` and `--threshold`: what makes the exit code another one than 0."""

from __future__ import annotations

from pathlib import Path

import pytest
from process import EXAMPLES, Ended, mutproof
from test_reports import decided, reported

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.cli import gate, verdicts
from mutproof.cli.exit_codes import ExitCode

FALSE = """\
node main(x : int) returns (ok : bool);
var y : int;
let
  y = if x > 0 then x else 0;
  ok = y >= x + 1;
  --%PROPERTY ok;
tel;
"""
TRIVIAL = """\
node main(a : bool) returns (ok : bool);
let
  ok = a or not a;
  --%PROPERTY ok;
tel;
"""
IDLE = """\
MODULE main
VAR on : boolean; level : 0..3;
ASSIGN
  init(level) := 0; next(level) := (level + 1) mod 4;
  init(on) := FALSE; next(on) := FALSE;
LTLSPEC G (on -> X level = 0)
"""

COUNTED = """\
MODULE main
VAR level : 0..2;
ASSIGN init(level) := 0; next(level) := (level + 1) mod 3;
CTLSPEC level = 0 & AG ((level = 0 -> AX level = 1) & (level = 1 -> AX level = 2))
CTLSPEC AG (level = 2 -> AX level = 0)
COMPUTE MIN [level = 0, level = 2]
"""


def ended(*words: str) -> Ended:
    return mutproof("mutate", EXAMPLES / "demo2.lus", "--level", "paper", "--no-progress", *words)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("--fail-on", "never"), 0),
        (("--fail-on", "unknown,unproved"), 0),
        (("--fail-on", "survived"), 2),
        (("--fail-on", "gap"), 0),
        (("--fail-on", "gap", "--equivalence"), 2),
        (("--threshold", "20"), 0),
        (("--threshold", "22.8"), 5),
        (("--threshold", "20%", "--fail-on", "survived"), 2),
        (("--threshold", "80", "--fail-on", "never"), 5),
    ],
)
def test_it_is_chosen_what_fails(words: tuple[str, ...], code: int) -> None:
    assert code == ended(*words).code


@pytest.mark.parametrize("command", ["prove", "mutate", "equivalent", "suggest"])
def test_a_number_that_was_asked_for_is_no_failure(command: str, tmp_path: Path) -> None:
    model = tmp_path / "counted.smv"
    model.write_text(COUNTED, encoding="utf-8")
    found = mutproof(command, model, "--no-progress")

    assert 0 == found.code
    assert "not proved" not in found.out + found.err


def test_a_score_that_is_too_low_is_told() -> None:
    assert (
        "the score 5/22 = 22.7 % is below the threshold of 80 %"
        in ended("--threshold", "80").err.splitlines()
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--fail-on", "survivde"), "did you mean `survived`?"),
        (("--fail-on", "never,unknown"), "never stands alone"),
        (("--fail-on", ""), "nothing is named, which never says"),
        (("--threshold", "101"), "not a number from 0 to 100"),
        (("--threshold", "nan"), "not a number from 0 to 100"),
        (("--threshold", "80 percent"), "not a number from 0 to 100: '80 percent'"),
        (("--timeout", "nan"), "not a positive number of seconds up to 100000000: 'nan'"),
        (("--timeout", "1m"), "not a positive number of seconds up to 100000000: '1m'"),
        (("--expires", "later"), "not a day such as 2030-12-31: 'later'"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(words: tuple[str, ...], said: str) -> None:
    found = ended(*words)

    assert found.code == 1
    assert said in found.err


def test_the_threshold_is_met_by_the_score_itself() -> None:
    file = decided(reported(), "g2ge", status=MutantStatus.UNKNOWN, reason="time")

    assert verdicts.of_score((file,), 100 * 21 / 22) == (ExitCode.OK, "")
    assert verdicts.of_score((file, reported("b.lus")), 99)[0] is ExitCode.BELOW
    assert verdicts.of_score((), 99) == (ExitCode.OK, "")


def test_what_is_not_known_never_passes_for_killed() -> None:
    unsure = Equivalence(EquivalenceStatus.UNDETERMINED, "outputs")
    for changes in (
        {"status": MutantStatus.UNKNOWN, "reason": "time"},
        {"status": MutantStatus.SURVIVED, "equivalence": unsure},
    ):
        file = decided(reported(), "g2ge", **changes)
        assert verdicts.of_mutants(file) is ExitCode.UNDECIDED
        assert verdicts.of_score((file,), 100)[0] is ExitCode.BELOW
        assert verdicts.of_mutants(file, ("survived",)) is ExitCode.OK


def test_what_is_equivalent_counts_for_nothing() -> None:
    same = Equivalence(EquivalenceStatus.EQUIVALENT, "outputs", "k-induction")
    file = decided(reported(), "g2ge", status=MutantStatus.SURVIVED, equivalence=same)

    assert verdicts.of_mutants(file) is ExitCode.OK
    assert verdicts.of_score((file,), 100) == (ExitCode.OK, "")


@pytest.mark.parametrize("words", [(), ("--operators", "l2le")])
def test_a_score_of_nothing_reaches_no_threshold(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "nothing.lus"
    path.write_text(FALSE.replace("y = if x > 0 then x else 0;", "y = x;").replace("x + 1", "x"))
    if not words:
        path.write_text(TRIVIAL)

    assert mutproof("mutate", path, *words, "--fail-on", "never").code == 0
    found = mutproof("mutate", path, *words, "--threshold", "0")
    assert found.code == 5
    assert "no mutant counts: no score reaches the threshold of 0 %" in found.err.splitlines()


@pytest.mark.parametrize(
    ("command", "words", "code"),
    [
        ("prove", (), 40),
        ("prove", ("--fail-on", "unknown"), 0),
        ("prove", ("--fail-on", "never"), 0),
        ("mutate", (), 4),
        ("mutate", ("--threshold", "0"), 4),
        ("mutate", ("--fail-on", "survived"), 0),
    ],
)
def test_a_property_that_is_not_proved_fails_if_that_is_wanted(
    tmp_path: Path, command: str, words: tuple[str, ...], code: int
) -> None:
    path = tmp_path / "false.lus"
    path.write_text(FALSE, encoding="utf-8")

    assert code == mutproof(command, path, *words).code


def test_nobody_can_choose_that_wrong_usage_passes(tmp_path: Path) -> None:
    assert mutproof("mutate", tmp_path / "none.lus", "--fail-on", "never").code == 1
    (tmp_path / "broken.lus").write_text("node", encoding="utf-8")
    assert mutproof("prove", tmp_path / "broken.lus", "--fail-on", "never").code == 1


def test_every_name_has_a_meaning_and_the_defaults_are_names() -> None:
    assert set(gate.MUTANT_GATE) <= gate.MUTANT_FAILURES.keys()
    assert set(gate.PROPERTY_GATE) <= gate.PROPERTY_FAILURES.keys()


@pytest.mark.parametrize(
    ("words", "code"),
    [((), 0), (("--fail-on", "vacuous"), 2), (("--fail-on", "falsified,unknown"), 0)],
)
def test_a_property_that_could_not_have_failed_fails_if_that_is_wanted(
    tmp_path: Path, words: tuple[str, ...], code: int
) -> None:
    path = tmp_path / "idle.smv"
    path.write_text(IDLE, encoding="utf-8")

    assert code == mutproof("prove", path, *words).code
