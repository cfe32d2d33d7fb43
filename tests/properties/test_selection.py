"""A term with selectors is each of the terms it was made of, by its selector."""

from __future__ import annotations

import itertools
import random

from hypothesis import given

from mutproof.model import selection, terms
from mutproof.model.compile import Compiler
from mutproof.model.lower import Lowering
from mutproof.model.operators import Op
from mutproof.model.simulate import Simulator
from mutproof.model.sorts import BOOL, INT
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, choices_of, models, sources
from support.lustre_mutants import options, program_of, variant
from support.profiles import profile


@profile(60)
@given(models(), sources())
def test_a_selector_gives_the_constraint_of_its_mutant(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    lowering = Lowering(program_of(found))
    system = lowering.system()
    choices = choices_of(source, system)
    mutants = enumerate_mutants(found, options("all"))
    element = source.choice([mutant.element for mutant in mutants])
    alike = [mutant for mutant in mutants if mutant.element == element]
    for base in system.by_owner.get(element, ()):
        others = []
        for mutant in source.sample(alike, min(8, len(alike))):
            extended, changed = variant(lowering, system, mutant)
            same = [
                c for c in changed.constraints if (c.kind, c.defines) == (base.kind, base.defines)
            ]
            if extended.variables == system.variables and len(same) == 1:
                others.append(same[0].term)
        selectors = [terms.var(f"?{number}", BOOL) for number in range(len(others))]
        together = selection.selected(base.term, list(zip(selectors, others, strict=True)))

        simulator = Simulator(system)
        names = [*simulator.names, *[f"?{number}" for number in range(len(others))]]
        compiler = Compiler({name: position for position, name in enumerate(names)})
        whole, *single = compiler.compile_all([together, base.term, *others])
        rows = simulator.run(choices)
        for now, after in itertools.pairwise(rows):
            for chosen in range(len(others) + 1):
                flags = [chosen == number + 1 for number in range(len(others))]
                expected = single[chosen](now, after, choices.functions)
                row, later = [*now, *flags], [*after, *flags]
                assert expected == whole(row, later, choices.functions)


def test_what_terms_share_is_there_once() -> None:
    x, one, two = terms.var("x", INT), terms.int_(1), terms.int_(2)
    first, second = terms.var("?1", BOOL), terms.var("?2", BOOL)
    deep = terms.compare(Op.LT, terms.arithmetic(Op.ADD, x, one), two)
    changed = terms.compare(Op.LT, terms.arithmetic(Op.ADD, x, two), two)
    other = terms.compare(Op.LE, terms.arithmetic(Op.ADD, x, one), two)

    together = selection.selected(deep, [(first, changed), (second, other)])

    mutated = terms.make(Op.ITE, INT, (first, two, one))
    inside = terms.compare(Op.LT, terms.arithmetic(Op.ADD, x, mutated), two)
    assert terms.make(Op.ITE, BOOL, (second, other, inside)) is together
    assert deep is selection.selected(deep, [])
    assert deep is selection.selected(deep, [(first, deep)])


def test_deep_terms_need_no_deep_stack() -> None:
    base, other = terms.var("p", BOOL), terms.var("q", BOOL)
    for _ in range(5_000):
        base, other = terms.not_(base), terms.not_(other)

    together = selection.selected(base, [(terms.var("?1", BOOL), other)])

    while together.op is Op.NOT:
        together = together.args[0]
    assert Op.ITE is together.op
