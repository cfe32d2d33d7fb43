"""The oracle of NuSMV and the lowered system agree on what is an execution, and on what fails."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.model import sorts, walk
from mutproof.model.compile import Compiler
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.obligations import Obligations
from mutproof.model.passes.definedness import Hazard
from mutproof.model.program import Element, ElementKind, Program, PropertyKind, VariableKind
from mutproof.model.relational import Relational
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.sorts import SetSort, Sort, Value, WordSort
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import Violated
from support import nusmv_terms
from support.deadlines import UNHURRIED
from support.profiles import profile
from support.relational_models import MODELS, lowered, program_of


@pytest.mark.parametrize("name", MODELS)
def test_the_lowered_system_has_the_same_executions_and_violations(name: str) -> None:
    model, random = lowered(name), Random(1)
    invariants = {p.name for p in model.system.properties if p.kind is PropertyKind.INVARIANT}
    kinds = set()
    for _ in range(300):
        steps, loop = model.walk(random)

        found = model.evaluator.run(Choices(tuple(steps), loop=loop))

        violated = {name: step for name, step in found.violated.items() if name in invariants}
        assert model.expected(steps, loop) == (found.assumed, violated), (steps, loop)
        for step, shown in zip(steps, found.trace.steps, strict=True):
            if found.assumed:
                assert model.values(step).items() <= shown.items()
        kinds.add(found.assumed)

    assert {True, False} == kinds


@pytest.mark.parametrize("name", MODELS)
def test_what_the_diagrams_refute_is_false_here_too(name: str) -> None:
    model = lowered(name)
    kinds = {stated.name: stated.kind for stated in model.system.properties}

    replayed = 0
    for stated, verdict in check(model.system, list(kinds), UNHURRIED).items():
        if not isinstance(verdict, Violated):
            continue
        assert verdict.trace is not None
        choices = Choices(verdict.trace.steps, loop=verdict.trace.loop)
        found = model.evaluator.run(choices)
        assert found.assumed
        free = Choices(verdict.trace.choices.steps, loop=verdict.trace.loop)
        assert found.trace.steps == model.evaluator.run(free).trace.steps
        if kinds[stated] is PropertyKind.INVARIANT or (
            verdict.complete and choices.loop is not None
        ):
            assert stated in found.violated
            replayed += 1

    assert replayed > 1


def determined(program: Program, step: int) -> set[str]:
    """Return the variables whose assignments leave no choice at a step."""
    kinds = {
        ElementKind.CURRENT_ASSIGN,
        [ElementKind.NEXT_ASSIGN, ElementKind.INIT_ASSIGN][not step],
    }
    elements = [e for e in program.component("main").elements if e.kind in kinds]
    chosen = {e.targets[0] for e in elements if isinstance(e.body.sort, SetSort)}
    frozen = {v.name for v in program.component("main").of_kind(VariableKind.FROZEN)}
    return {e.targets[0] for e in elements} - chosen | (frozen if step else set())


@pytest.mark.parametrize("name", MODELS)
def test_what_follows_need_not_be_chosen(name: str) -> None:
    model, random = lowered(name), Random(3)
    left_out = 0
    for _ in range(100):
        steps, loop = model.walk(random)
        whole = model.evaluator.run(Choices(tuple(steps), loop=loop))
        if not whole.assumed:
            continue
        known = []
        for number, step in enumerate(steps):
            follows = sorted(determined(model.program, number))
            names = [name for name in follows if random.random() < 0.8]
            known.append({n: v for n, v in step.items() if n not in names})
            left_out += len(step) - len(known[-1])

        found = model.evaluator.run(Choices(tuple(known), loop=loop))

        assert found.assumed
        assert whole.violated == found.violated
        assert whole.trace.steps == found.trace.steps
    assert left_out > 0 or not determined(model.program, 1)


@pytest.mark.parametrize("name", MODELS)
def test_other_bodies_mean_another_program(name: str) -> None:
    model, random = lowered(name), Random(2)
    elements = model.program.component("main").elements
    kinds = set()
    for _ in range(60):
        changed = random.sample(elements, random.choice([1, 1, 2]))
        bodies: dict[Element, Term | None] = {}
        for element in changed:
            fitting = [o.body for o in elements if o.body.sort == element.body.sort]
            bodies[element] = random.choice([None, *fitting])
        steps, loop = model.walk(random)
        left_out = random.choice([set(), determined(model.program, 1)])
        known = [{n: v for n, v in step.items() if n not in left_out} for step in steps]
        choices = Choices(tuple(known), loop=loop)

        try:
            expected = RelationalEvaluator(model.program.with_bodies(bodies)).run(choices)
        except InstantaneousLoop:
            with pytest.raises(InstantaneousLoop):
                model.evaluator.run(choices, bodies)
            continue

        assert expected == model.evaluator.run(choices, bodies)
        own = RelationalEvaluator(model.program).run(choices)
        assert own == model.evaluator.run(choices)
        assert expected == model.evaluator.run(choices, bodies)
        kinds.add(expected.assumed)

    assert {True, False} == kinds


@cache
def declared() -> Program:
    return program_of(
        f"{nusmv_terms.DECLARATIONS}TRANS a\n"
        "ASSIGN next(x) := x; next(s) := s; next(u) := u; next(v) := v;"
    )


@cache
def relational() -> Relational:
    return Relational(declared())


@cache
def obligations() -> Obligations:
    return Obligations(declared().component("main"))


TARGETS = {
    None: nusmv_terms.typed_terms(sorts.BOOL),
    "x": nusmv_terms.typed_terms(sorts.INT) | nusmv_terms.sets(sorts.INT, 2),
    "s": nusmv_terms.typed_terms(sorts.SYMBOL),
    "u": nusmv_terms.typed_terms(nusmv_terms.WORD),
    "v": nusmv_terms.typed_terms(nusmv_terms.SIGNED),
}


@st.composite
def assignments(draw: st.DrawFn) -> tuple[Element, Term]:
    target = draw(st.sampled_from(list(TARGETS)))
    targets = () if target is None else (target,)
    elements = declared().component("main").elements
    return next(e for e in elements if e.targets == targets), draw(TARGETS[target])


@profile(300)
@given(assignments(), st.integers(0, 2**32))
def test_random_terms_that_have_a_value_have_that_of_lowered_ones(
    changed: tuple[Element, Term], seed: int
) -> None:
    element, body = changed
    random = Random(seed)
    scalars = obligations().scalars
    compiler = Compiler({name: index for index, name in enumerate(scalars)})
    lower = compiler.compile_all(c.term for c in relational().element(element, body))
    defined = compiler.compile_all(
        obligation.term
        for obligation in obligations().of_element(element, body)
        if obligation.hazard is not Hazard.RANGE
    )
    # A word of a part without a value has none either, also where the part does not matter.
    has_words = any(isinstance(part.sort, WordSort) for part in walk.subterms(body))
    others: dict[Element, Term | None] = dict.fromkeys(declared().component("main").elements)
    for _ in range(10):
        steps = [{name: valued(random, sort) for name, sort in scalars.items()} for _ in range(2)]
        rows = [[step[name] for name in scalars] for step in steps]

        found = oracle().run(Choices(tuple(steps)), {**others, element: body})

        if all(term(*rows, {}) for term in defined):
            assert all(term(*rows, {}) for term in lower) == found.assumed
        elif not has_words:
            assert not found.assumed


def valued(random: Random, sort: Sort) -> Value:
    if isinstance(sort, WordSort):
        low = -(1 << (sort.width - 1)) if sort.signed else 0
        return low + random.randrange(1 << sort.width)
    values = sorts.domain(sort)
    assert values is not None
    return random.choice(values)


@cache
def oracle() -> RelationalEvaluator:
    return RelationalEvaluator(declared())


@pytest.mark.parametrize(
    ("more", "refuted"),
    [
        ("", {"always": 2, "branching": 2, "soon": 3}),
        ("INIT n = 0", {"always": 2, "branching": 2, "soon": 3}),
        ("INVAR n < 9", {}),
        ("TRANS next(n) != n", {}),
        ("JUSTICE n = 0", {}),
        ("COMPASSION (n = 0, n = 1)", {}),
    ],
)
def test_a_beginning_refutes_where_assignments_alone_say_what_follows(
    more: str, refuted: dict[str, int]
) -> None:
    program = program_of(
        f"""MODULE main VAR n : integer; ASSIGN init(n) := 0; next(n) := n + 1;
        LTLSPEC NAME always := G n < 2
        CTLSPEC NAME branching := AG n < 2
        LTLSPEC NAME soon := G (n = 1 -> X F [0, 1] n = 4)
        LTLSPEC NAME once := F n = 9
        LTLSPEC NAME later := G n < 9
        CTLSPEC NAME some := EG n < 9
        {more}
        """
    )
    found = RelationalEvaluator(program).run(Choices(tuple({"n": number} for number in range(6))))

    assert (True, refuted) == (found.assumed, dict(found.violated))
