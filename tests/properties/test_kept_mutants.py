"""What is kept of the mutants of one version of a file is right in the next."""

from __future__ import annotations

import random

from hypothesis import given

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.deciding.refusals import Refusals
from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants, mutated_bodies
from mutproof.analyses.mutation.rejection import CIRCULAR
from mutproof.base.budget import Budget
from mutproof.model.interpretation import interpretation
from mutproof.model.language import Elaborated
from mutproof.model.lower import Lowering
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, models, operator_edit, sources, structure_edit
from support.lustre_mutants import options, program_of
from support.profiles import profile

MEANS = Means(Budget(), SpacerProcess(), Benches(), lambda: None)


def check_as_anew(found: Elaborated) -> None:
    """Compare mutants and what they change with what is found where nothing is kept."""
    program = program_of(found)
    kept = enumerate_mutants(found, options("all"))
    assert mutants(program, found.provenance, chosen_mutators("all")) == kept
    meaning, lowering = interpretation(program), Lowering(program)
    assert lowering.system() == meaning.system()
    load = Mutants(Baseline(meaning, meaning.system(), {}, {}), kept).lowered(lambda: None)
    refusals = Refusals(program, {}, MEANS)
    for mutant in kept:
        bodies = mutated_bodies(program, mutant)
        ((element, body),) = bodies.items()
        anew = lowering.element(element, body)
        arrival = load.arrived[mutant.id]
        assert bodies == arrival.bodies
        for rewritten in (meaning.rewritten(bodies), arrival.rewritten):
            changed = (rewritten.constraints, rewritten.variables)
            common = lowering.linking.under(bodies, meaning.system().variables, anew.variables)
            expected = (
                (*anew.constraints, *common.constraints),
                tuple({v.name: v for v in (*anew.variables, *common.variables)}.values()),
            )
            assert expected == changed
            assert {element.id} == rewritten.removed
        refusal = refusals.of(bodies)
        if arrival.refusal is not None:
            assert refusal.reason == arrival.refusal
        elif refusal.local:
            arrival.refusal = refusal.reason


@profile(40)
@given(models(), sources())
def test_mutants_after_edits_are_those_of_the_edited_text(
    model: Model, source: random.Random
) -> None:
    check_as_anew(accepted(model.text))
    check_as_anew(accepted(operator_edit(source, model).text))
    check_as_anew(accepted(structure_edit(source, model).text))


def test_a_constant_that_gets_a_name_has_the_mutants_of_a_name() -> None:
    written = "node top(x: int) returns (y: bool); let y = x > (1 + 2); --%PROPERTY y;\ntel;\n"
    named = written.replace("(1 + 2)", "N")
    check_as_anew(accepted("const N = 1 + 2;\n" + written))
    check_as_anew(accepted("const N = 1 + 2;\n" + named))


def test_an_equation_of_a_variable_with_another_type_has_other_mutants() -> None:
    wide = (
        "node top(x: int) returns (y: int; ok: bool);\nlet\n  y = if x > 2 then 2 else 1;\n"
        "  ok = y <= 2;\n  --%PROPERTY ok;\ntel;\n"
    )
    check_as_anew(accepted(wide))
    check_as_anew(accepted(wide.replace("(y: int;", "(y: subrange [1, 2] of int;")))


def test_an_equation_under_a_clock_means_something_else_than_without() -> None:
    plain = (
        "node inner(a: bool) returns (b: bool);\nlet\n  b = true -> pre a;\n  --%PROPERTY b;\n"
        "tel;\nnode top(c, d: bool) returns (e: bool);\nlet\n  e = inner(c);\n"
        "  --%PROPERTY e;\ntel;\n"
    )
    check_as_anew(accepted(plain))
    check_as_anew(accepted(plain.replace("inner(c)", "condact(d, inner(c), true)")))


def test_equal_calls_share_the_memory_that_an_edit_gives_their_node() -> None:
    without = (
        "node inner(a: bool) returns (o: bool);\nlet\n  o = a;\ntel;\n"
        "node top(i: bool) returns (x, y, p: bool);\nlet\n  x = inner(i);\n"
        "  y = false and (inner(i) <> x);\n  p = not y;\n  --%PROPERTY p;\ntel;\n"
    )
    check_as_anew(accepted(without))
    check_as_anew(accepted(without.replace("o = a;", "o = pre (not a -> a) -> a;")))
    check_as_anew(accepted(without))


def test_an_edit_elsewhere_makes_a_mutant_circular_or_causal() -> None:
    apart = (
        "node top(a: bool) returns (x, o, p: bool);\nlet\n  o = a -> pre x;\n  x = a;\n"
        "  p = o or x;\n  --%PROPERTY p;\ntel;\n"
    )
    around = apart.replace("x = a;", "x = o;")

    def circular(text: str) -> set[str]:
        found = accepted(text)
        check_as_anew(found)
        refusals = Refusals(program_of(found), {}, MEANS)
        return {
            mutant.operator
            for mutant in enumerate_mutants(found, options("all"))
            if refusals.of(mutated_bodies(program_of(found), mutant)).reason == CIRCULAR
        }

    assert "drop_pre" not in circular(apart)
    assert "drop_pre" in circular(around)
    assert "drop_pre" not in circular(apart)
