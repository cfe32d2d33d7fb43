"""Mutants are refused exactly where the front end refuses their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.rejection import CIRCULAR, REASONS, Rejection
from mutproof.base.diagnostics import Severity
from mutproof.model import terms
from mutproof.model.language import Elaborated
from mutproof.model.obligations import Obligations
from mutproof.model.passes.definedness import Hazard
from mutproof.model.terms import Term
from mutproof.solving.validity import Validities, Validity
from support.lustre_mutants import BUDGET
from support.nusmv_mutants import (
    accepted,
    elaborated,
    mutants_of,
    mutated_text,
    program_of,
)
from support.places import ROOT
from support.profiles import profile

EXAMPLES = sorted((ROOT / "examples").glob("*.smv"))

MACROS = """\
MODULE lamp(dim, by)
VAR
  level : 0..4;
DEFINE
  low := level < 2;
  high := level > 2;
  step := by + 1;
ASSIGN
  next(level) := case low : level + step; high : level - step; dim : 0; !dim : 2; esac;

MODULE main
VAR
  dim : boolean;
  one : lamp(dim, 0);
  two : lamp(one.high, 1);
DEFINE
  rest := two.level + 1;
INVARSPEC one.level mod rest = 0 -> one.low
SPEC AG (dim -> 4 / (rest + 1) >= 0)
"""
ARRAYS = """\
MODULE main
VAR
  a : array 0..3 of 0..3;
  w : word[3];
  x : 0..3;
DEFINE
  last := a[3];
ASSIGN
  a[1] := a[0];
  a[2] := a[1] > 1 ? 1 : 0;
  next(a[0]) := a[x];
  next(x) := case x = 3 : 0; TRUE : x + 1; esac;
  next(w) := (w << x) + (w >> 2);
TRANS 3 / (last + 1) > 0 & next(x) != 4
INVARSPEC a[a[2]] < 4
"""


def is_refused(found: Elaborated, again: Elaborated) -> bool:
    """Tell whether a text has an error that an accepted one does not have."""
    assert found.program is not None
    errors = [d for d in again.diagnostics if d.severity is Severity.ERROR]
    return again.program is None or bool(errors)


def check_all(text: str, *, every: int = 1) -> Counter[str]:
    """Compare the verdict on each mutant of a text with what the front end says of its text."""
    found = accepted(text)
    program = program_of(found)
    rejection = Rejection(program)
    counted: Counter[str] = Counter()
    for mutant in mutants_of(found)[::every]:
        bodies = mutated_bodies(program, mutant)
        again = elaborated(mutated_text(found, mutant))
        reason, left = rejection.reason(bodies), rejection.open(bodies)
        refused = is_refused(found, again)
        if left:
            assert reason == ""
            counted["open"] += 1
        else:
            assert refused == bool(reason), (mutant, reason, again.diagnostics)
            counted[reason] += 1
    return counted


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_a_mutant_of_an_example_is_refused_where_its_text_is(path: Path) -> None:
    counted = check_all(path.read_text(), every=3)

    assert counted["open"] == 0
    assert counted[""] > 5


def test_a_mutant_is_refused_for_every_reason_that_nusmv_has() -> None:
    counted = check_all(ARRAYS) + check_all(MACROS)

    assert {"", CIRCULAR, *REASONS.values()} == set(counted)
    assert min(counted.values()) > 1


conditions = st.recursive(
    st.sampled_from(["d", "e", "b", "(x = 1)", "(x > y)", "(y = 0)"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from(["&", "|", "->", "xor"]), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        )
        | inner.map(lambda part: f"(!{part})")
    ),
    max_leaves=4,
)


@profile(5)
@given(conditions, conditions, conditions)
def test_a_mutated_macro_is_judged_by_all_that_uses_it(first: str, second: str, third: str) -> None:
    text = (
        "MODULE main\nVAR\n  b : boolean; x : 0..2; y : 0..2;\nDEFINE\n"
        f"  d := x + 1 > y;\n  e := d | b;\n  s := {third} ? x : y;\n"
        f"ASSIGN\n  next(x) := case {first} : s; !({first}) & e : 0; !({first}) & !e : 1; esac;\n"
        f"  next(y) := {second} & s < 2 ? s + 1 : s;\n"
        "INVARSPEC d -> e\n"
    )

    assert sum(check_all(text, every=2).values()) > 10


indices = st.sampled_from(["0", "1", "N", "M", "M - N", "N + 1", "o - 1", "k", "(x ? N : M)"])
amounts = st.sampled_from(["0", "1", "2", "N", "M", "0ud2_1", "k"])
values = st.one_of(
    st.tuples(st.sampled_from(["a[{}]", "(FALSE & a[{}])", "(x | a[{}])"]), indices),
    st.tuples(st.sampled_from(["(w >> {}) = w", "(TRUE | w << {} = w)"]), amounts),
).map(lambda parts: parts[0].format(parts[1]))


@profile(5)
@given(values, values, values, st.sampled_from(["x", "d -> x", "TRUE | e", "!(d & e) | N = 0"]))
def test_a_constant_operand_is_judged_also_where_nothing_uses_it(
    first: str, second: str, third: str, stated: str
) -> None:
    text = (
        "MODULE main\nVAR\n  a : array 0..1 of boolean; w : word[2]; x : boolean;\n"
        "  k : 0..1; o : 1..1;\n"
        f"DEFINE\n  N := 0;\n  M := N + 1;\n  d := {first};\n  e := {second} & d;\n"
        f"ASSIGN\n  init(x) := TRUE;\n  next(x) := x | (FALSE & {third});\nINVARSPEC {stated}\n"
    )
    counted = check_all(text)

    assert counted[""] > 10
    assert counted[REASONS[Hazard.INDEX]] + counted[REASONS[Hazard.SHIFT]] > 0


def test_an_index_of_two_changed_parts_is_judged_as_a_whole() -> None:
    found = accepted(
        "MODULE main\nVAR\n  a : array 0..1 of boolean;\n"
        "DEFINE\n  N := 0;\n  d := a[N];\n  e := a[N];\nINVARSPEC TRUE\n"
    )
    program = program_of(found)
    one, used, unused = program.component(program.main).elements
    rejection = Rejection(program)
    five, first = terms.int_(5), terms.rebuilt(used.body, (used.body.args[0], terms.int_(0)))

    assert rejection.reason({one: five}) == REASONS[Hazard.INDEX]
    assert rejection.reason({one: five, used: first}) == REASONS[Hazard.INDEX]
    assert not rejection.reason({one: five, used: first, unused: first})
    assert not rejection.reason({used: first})


def test_what_takes_too_many_steps_is_left_to_a_solver() -> None:
    found = accepted(
        "MODULE main\nVAR\n  a : word[16]; b : word[16]; x : 0..1;\n"
        "ASSIGN\n  next(x) := case a > b : 0; a <= b & x = 0 : 1; TRUE : x; esac;\n"
    )
    program = program_of(found)
    rejection = Rejection(program)
    verdicts = {
        m.summary: (rejection.reason(bodies), [o.hazard for o in rejection.open(bodies)])
        for m in mutants_of(found, operators=("MB",))
        for bodies in [mutated_bodies(program, m)]
    }

    assert {
        "branch 1 of `case` removed": ("", []),
        "branch 2 of `case` removed": ("", []),
        "branch 3 of `case` removed": ("", [Hazard.CASE]),
    } == verdicts


PARTIAL = """\
MODULE main
VAR
  a : word[16]; b : word[16]; x : 0..1; y : 0..3; s : boolean;
DEFINE
  more := a > b;
  tends := case a > b : s; a <= b : !s; esac;
  up := tends & x = 0;
  down := !tends;
ASSIGN
  next(x) := case more : 0; !more : 1; esac;
  next(y) := case up : 1; down : 2; tends : 3; esac;
INVARSPEC case tends : y < 4; !tends : x < 2; esac
"""


COMPARED = """\
MODULE main
VAR
  a : word[16]; b : word[16]; x : 0..1; y : 0..1; s : boolean; t : boolean;
DEFINE
  tends := case a > b : s; a <= b : !s; esac;
  up := (tends | t) & x = 0;
  level := case more : x; a <= b : y; esac;
  more := a > b;
ASSIGN
  next(x) := case up : 0; !up : level; esac;
  next(y) := case more : 0; a < b : 1; a = b : y; esac;
INVARSPEC case more : y < 2; a <= b : x < 2; esac
"""


def refusals_of(text: str, ask: Callable[[Term], bool] | None) -> tuple[dict[str, str], int]:
    """Return why mutants are refused, and of how many of them a solver has to tell."""
    found = accepted(text)
    program = program_of(found)
    validities = Validities(Obligations(program.component(program.main)).scalars)
    rejection = Rejection(program) if ask is None else Rejection(program, ask)
    reasons, asked = {}, 0
    for mutant in mutants_of(found):
        bodies = mutated_bodies(program, mutant)
        reason, left = rejection.reason(bodies), rejection.open(bodies)
        asked += bool(left)
        broken = (o for o in left if validities.of(o.term, BUDGET) is Validity.INVALID)
        reasons[mutant.id] = reason or next((REASONS[o.hazard] for o in broken), "")
    return reasons, asked


@pytest.mark.parametrize("text", [PARTIAL, COMPARED, MACROS, ARRAYS])
def test_what_is_asked_once_for_all_mutants_of_a_macro_refuses_the_same_ones(text: str) -> None:
    program = program_of(accepted(text))
    validities = Validities(Obligations(program.component(program.main)).scalars)

    def ask(term: Term) -> bool:
        return validities.of(term, BUDGET) is Validity.VALID

    reasons, asked = refusals_of(text, None)
    again, asked_again = refusals_of(text, ask)

    assert reasons == again
    assert asked_again <= asked


def test_whether_a_case_is_exhaustive_for_any_value_of_a_macro_is_asked_once() -> None:
    # The mutants change a value of the case, not when there is one.
    kept, asked = asked_of_macro(PARTIAL, "tends", lambda mutant: mutant.path in {(1,), (3,)})

    assert kept > 4
    assert len(asked) == 1


def test_a_body_that_always_has_a_value_where_macros_have_one_is_not_asked_about() -> None:
    of_macro, asked = asked_of_macro(COMPARED, "up")

    assert of_macro > 10
    assert len(asked) <= 3  # not one for each mutant


def asked_of_macro(
    text: str, name: str, chosen: Callable[[Mutant], bool] = lambda _: True
) -> tuple[int, set[Term]]:
    """Return how many mutants of a macro there are, and what is asked so as to refuse none."""
    found = accepted(text)
    program = program_of(found)
    asked: list[Term] = []
    rejection = Rejection(program, lambda term: not asked.append(term))
    mutants = [m for m in mutants_of(found) if m.element.name == name and chosen(m)]
    for mutant in mutants:
        assert not rejection.open(mutated_bodies(program, mutant))
    return len(mutants), set(asked)


def test_what_all_uses_demand_of_a_macro_is_one_question() -> None:
    found = accepted(COMPARED)
    program = program_of(found)
    validities = Validities(Obligations(program.component(program.main)).scalars)
    rejection = Rejection(program, lambda term: validities.of(term, BUDGET) is Validity.VALID)
    left = {
        mutant.summary: len(rejection.open(mutated_bodies(program, mutant)))
        for mutant in mutants_of(found, operators=("ROR",))
        if mutant.element.name == "more"
    }

    assert {0, 3} == set(left.values()), left


def test_a_fault_that_the_model_has_is_not_that_of_its_mutants() -> None:
    found = elaborated(
        "MODULE main\nVAR\n  x : 0..3;\nDEFINE\n  d := x + 1;\n"
        "ASSIGN\n  next(x) := d > 2 ? 0 : 1;\nINVARSPEC 3 / (x + 0) < d\n"
    )
    program = program_of(found)
    assert any(d.severity is Severity.ERROR for d in found.diagnostics)
    rejection = Rejection(program)
    reasons = {rejection.reason(mutated_bodies(program, m)) for m in mutants_of(found)}

    assert {"", REASONS[Hazard.RANGE]} == reasons


def test_a_removed_assignment_breaks_nothing() -> None:
    found = accepted(ARRAYS)
    program = program_of(found)
    rejection = Rejection(program)
    removed = [m for m in mutants_of(found) if m.replacement is None]

    assert 6 == len(removed)
    assert {""} == {rejection.reason(mutated_bodies(program, m)) for m in removed}
