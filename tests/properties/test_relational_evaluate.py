"""The oracle of NuSMV and the lowered system agree on what is an execution, and on what fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random

import pytest
from tests.support.explicit import StateSpace, explore

from mutproof.base.budget import Deadline
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model import sorts, terms
from mutproof.model.compile import Compiled, Compiler
from mutproof.model.evaluate import Execution, InstantaneousLoop
from mutproof.model.operators import Op
from mutproof.model.program import Element, ElementKind, Program, PropertyKind, VariableKind
from mutproof.model.relational import STEP_PREFIX, lower_relational
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.sorts import SetSort, Sort, Value
from mutproof.model.system import Constraint, ConstraintKind
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.bdd import Violated, check

State = dict[str, Value]

MODELS = {
    "sets and macros of sets": """
MODULE main
VAR x : 0..3; y : {red, 1, 2}; b : boolean;
DEFINE some := {1, 2}; more := b ? some : 3; odd := x in {1, 3} union some;
ASSIGN init(x) := more; init(y) := some; next(x) := case odd : more; TRUE : {0, x}; esac;
INVAR !(y in {red, 1}) | b
INVARSPEC x in more -> b;
INVARSPEC !(some in {1, 2, 3});
LTLSPEC G (x = 3 -> F y = 2);
LTLSPEC F G !b;
SPEC AG (x = 1 -> AF x = 2);
SPEC AF (y = red);
""",
    "processes that share a variable": """
MODULE cell(turn, mine, other)
VAR v : 0..2;
ASSIGN next(v) := case turn = mine : {0, (v + 1) mod 3}; TRUE : v; esac;
  next(turn) := {mine, other};
FAIRNESS running
MODULE main
VAR turn : 0..1; a : process cell(turn, 0, 1); b : process cell(turn, 1, 0); k : boolean;
ASSIGN init(turn) := 0; init(a.v) := 0; next(k) := !k;
INVARSPEC a.v + b.v < 4;
LTLSPEC G F a.v = 2;
LTLSPEC G (b.running -> X b.v = 1);
SPEC AG (b.v = 0 -> AF b.v = 1);
""",
    "arrays with variable indices": """
MODULE main
VAR a : array 0..2 of 0..2; k : 0..2; w : word[2];
DEFINE fixed := [2, k, 0]; here := a[k];
ASSIGN next(a[1]) := here; init(a[0]) := {0, 2};
  next(k) := case here < 2 : fixed[here]; TRUE : a[w = 0ud2_3 ? 0 : toint(w)]; esac;
TRANS next(a[0]) = a[0] & next(a[2]) in {a[2], fixed[k]}
INVAR w != 0ud2_3
INVARSPEC here + next(here) < 4;
LTLSPEC G (k = 1 -> O a[0] = 2);
SPEC AG AF (here = 0);
""",
    "words": """
MODULE main
VAR u : word[3]; s : signed word[2]; n : 0..3; b : boolean;
DEFINE sum := u + unsigned(resize(s, 3)); low := u[1:0] :: word1(b);
INIT u >> n < 0ud3_3 & bool(u[0:0])
TRANS next(u) = (b ? u << n : !sum) & next(s) * s = signed(low[1:0])
INVARSPEC toint(s) / (n + 1) < 1 & -s >= 0sd2_-1;
INVARSPEC extend(s, 1) + 0sd3_1 > 0sd3_-2 | (u xor sum) mod 0ud3_3 = 0ud3_0;
LTLSPEC F (count(b, n > 1, bool(word1(b))) = 2);
SPEC AX swconst(-1, 2) != s;
""".replace("0sd2_-1", "-0sd2_1").replace("0sd3_-2", "-0sd3_2"),
    "frozen variables and inputs": """
MODULE counter(top, step)
VAR v : 0..3;
ASSIGN init(v) := 0; next(v) := v + step > top ? 0 : v + step;
INVARSPEC v <= top;
MODULE main
FROZENVAR f : {1, 3};
IVAR go : boolean;
VAR c : counter(f, go ? 1 : 0); d : counter(3, c.v = 1 ? 1 : 0);
DEFINE grows := next(c.v) > c.v; ahead := c.v > d.v & f = 3;
INVAR d.v <= c.v + 2
INVARSPEC grows -> go;
INVARSPEC !go -> next(d.v) = d.v | grows;
INVARSPEC !ahead;
LTLSPEC G (grows -> X O go);
LTLSPEC G (go <-> X (c.v > 0));
LTLSPEC (F f = 1) | G F (c.v = 3);
SPEC AG (f = 3 -> AF d.v = 3);
""",
    "constraints, deadlocks and fairness": """
MODULE main
VAR p : boolean; q : boolean; n : -1..2;
CONSTANTS idle;
INIT n = 0
INVAR p -> (n = 0 | q)
TRANS case p : next(n) = n - 1 | next(n) = n; TRUE : next(n) > n; esac
TRANS next(p xor q) -> (n > 0 ? q : p)
JUSTICE n = 0 | q
COMPASSION(p, q)
INVARSPEC next(n) >= n;
INVARSPEC n mod 2 = 0;
INVARSPEC min(n, abs(n)) > -1;
LTLSPEC G (n = 2 -> !(p S q));
LTLSPEC H p | X Z q;
LTLSPEC (p V q) & O [0, 2] p;
LTLSPEC G H [1, 2] p;
LTLSPEC F (p T q -> Y n = 0);
SPEC A [ p U q ];
SPEC !EG p;
SPEC ABF 1..2 q;
SPEC AG (q -> EF n = 2);
PSLSPEC always (p -> next q);
""",
}


@cache
def program_of(text: str) -> Program:
    found = LANGUAGE.elaborate(LANGUAGE.parse(SourceText("model.smv", text)))
    assert found.program is not None, found.diagnostics
    return found.program


def judged(
    text: str,
    steps: Sequence[Mapping[str, Value]],
    loop: int | None = None,
    bodies: Mapping[Element, Term | None] | None = None,
) -> Execution:
    choices = Choices(tuple(steps), loop=loop)
    return RelationalEvaluator(program_of(text)).run(choices, bodies)


class Lowered:
    """A lowered system checked constraint by constraint, without what remembers steps."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.evaluator = RelationalEvaluator(program)
        self.system = lower_relational(program)
        space = explore(self.system, limit=3000)
        assert space is not None
        assert space.initial
        self.space: StateSpace = space
        self.stored: dict[str, Sort] = {
            variable.name + suffix: sort
            for variable in program.component(program.main).variables
            if variable.kind is not VariableKind.DEFINE
            for suffix, sort in sorts.leaves(variable.sort)
        }
        self._names = [name for name in self.system.variables if not name.startswith(STEP_PREFIX)]
        self._compiler = Compiler({name: index for index, name in enumerate(self._names)})
        kept = [c for c in self.system.constraints if not self._remembers(c)]
        self._rules = [(c.kind, self._compiled(c.term)) for c in kept]
        steps = {
            c.defines: c.term.args[1]
            for c in self.system.constraints
            if self._remembers(c) and c.kind is ConstraintKind.TRANS
        }
        self._properties = {
            stated.name: (
                STEP_PREFIX + stated.name in steps,
                self._compiled(steps.get(STEP_PREFIX + stated.name, stated.term)),
            )
            for stated in self.system.properties
            if stated.kind is PropertyKind.INVARIANT
        }
        self._defined = {
            c.defines: self._compiled(c.term.args[1])
            for c in kept
            if c.defines is not None and c.defines not in self.stored
        }

    def _compiled(self, term: Term) -> Compiled:
        return self._compiler.compile_all([term])[0]

    def _remembers(self, constraint: Constraint) -> bool:
        return (constraint.defines or "").startswith(STEP_PREFIX)

    def row(self, state: Mapping[str, Value]) -> list[Value]:
        row = [state.get(name, False) for name in self._names]
        for _ in self._defined:
            for name, function in self._defined.items():
                row[self._names.index(name)] = function(row, row, {})
        return row

    def values(self, state: Mapping[str, Value]) -> dict[str, Value]:
        return dict(zip(self._names, self.row(state), strict=True))

    def expected(self, steps: Sequence[State], loop: int | None) -> tuple[bool, dict[str, int]]:
        rows = [self.row(step) for step in steps]
        pairs = list(pairwise(rows))
        pairs += [] if loop is None else [(rows[-1], rows[loop])]
        same = [(row, row) for row in rows]
        where = {
            ConstraintKind.INIT: same[:1],
            ConstraintKind.INVAR: same,
            ConstraintKind.TRANS: pairs,
        }
        assumed = all(
            sorts.contains(sort, step[name]) for name, sort in self.stored.items() for step in steps
        ) and all(rule(*pair, {}) for kind, rule in self._rules for pair in where[kind])
        violated = {}
        for name, (of_steps, holds) in self._properties.items():
            for number, pair in enumerate(pairs if of_steps else same):
                if not holds(*pair, {}):
                    violated[name] = number
                    break
        return assumed, violated

    def walk(self, random: Random) -> tuple[list[State], int | None]:
        """Return a path of the system that is sometimes no execution."""
        path = [
            random.choice(self.space.initial if random.random() < 0.9 else self.space.reachable)
        ]
        for _ in range(random.randrange(6)):
            following = self.space.successors[path[-1]]
            if not following:
                break
            path.append(random.choice(following))
        steps = [
            {n: v for n, v in zip(self.space.names, row, strict=True) if n in self.stored}
            for row in path
        ]
        if random.random() < 0.4:
            name = random.choice(sorted(self.stored))
            others = [
                dict(zip(self.space.names, r, strict=True))[name] for r in self.space.reachable
            ]
            random.choice(steps)[name] = random.choice([*dict.fromkeys(others), 99])
        loops = [
            number for number, row in enumerate(path) if row in self.space.successors[path[-1]]
        ]
        loop = random.choice([None, random.randrange(len(path)), *loops])
        return steps, loop


@cache
def lowered(name: str) -> Lowered:
    return Lowered(program_of(MODELS[name]))


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
    for stated, verdict in check(model.system, list(kinds), Deadline.never()).items():
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


MUTATED = [
    (name, element)
    for name, text in MODELS.items()
    for element in program_of(text).component("main").elements
]


@pytest.mark.parametrize("name", MODELS)
def test_other_bodies_mean_another_program(name: str) -> None:
    model, random = lowered(name), Random(2)
    elements = [element for at, element in MUTATED if at == name]
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


NUMBER = "MODULE main VAR x : 0..3; y : 0..3; DEFINE d := {0, 1}; e := y; ASSIGN x := y; "


def element(text: str, target: str) -> Element:
    elements = program_of(text).component("main").elements
    return next(found for found in elements if found.targets == (target,))


X, Y = terms.var("x", sorts.INT), terms.var("y", sorts.INT)
ONE, TWO = terms.int_(1), terms.int_(2)
BY_Y = terms.arithmetic(Op.TRUNC_DIV, TWO, Y)
IS_ZERO = terms.eq(Y, terms.int_(0))


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        (BY_Y, False),
        (terms.ite(IS_ZERO, ONE, BY_Y), True),
        (terms.ite(terms.or_(IS_ZERO, terms.eq(BY_Y, ONE)), ONE, TWO), True),
        (terms.ite(terms.or_(terms.eq(BY_Y, ONE), IS_ZERO), ONE, TWO), True),
        (terms.ite(terms.implies(terms.eq(BY_Y, ONE), IS_ZERO), ONE, TWO), True),
        (terms.ite(terms.and_(terms.eq(BY_Y, ONE), terms.not_(IS_ZERO)), TWO, ONE), True),
        (
            terms.ite(terms.make(Op.XOR, sorts.BOOL, (terms.eq(BY_Y, ONE), IS_ZERO)), ONE, ONE),
            False,
        ),
        (terms.make(Op.CASE, sorts.INT, (IS_ZERO, ONE)), True),
        (terms.make(Op.CASE, sorts.INT, (terms.not_(IS_ZERO), ONE)), False),
        (terms.make(Op.CASE, sorts.INT, (IS_ZERO, ONE, terms.eq(BY_Y, ONE), TWO)), True),
        (terms.make(Op.CASE, sorts.INT, (terms.eq(BY_Y, ONE), TWO, IS_ZERO, ONE)), False),
        (terms.make(Op.SET, sorts.SetSort(sorts.INT), (TWO, ONE)), True),
        (terms.make(Op.SET, sorts.SetSort(sorts.INT), (TWO, Y)), False),
        (terms.make(Op.SET, sorts.SetSort(sorts.INT), (ONE, BY_Y)), False),
    ],
)
def test_what_has_no_value_is_assigned_to_nothing(body: Term, holds: bool) -> None:
    found = judged(NUMBER, [{"x": 1, "y": 0}], bodies={element(NUMBER, "x"): body})

    assert holds == found.assumed


def test_what_is_missing_has_a_default_and_what_is_removed_is_free() -> None:
    removed = {element(NUMBER, "x"): None, element(NUMBER, "e"): None}

    assert judged(NUMBER, [{}]).assumed
    assert not judged(NUMBER, [{"x": 4, "y": 4}]).assumed
    assert not judged(NUMBER, [{"x": 1}]).assumed
    found = judged(NUMBER, [{"x": 1, "e": 3}], bodies=removed)
    assert found.assumed
    assert ({"x": 1, "y": 0, "e": 3},) == found.trace.steps


def test_a_macro_that_becomes_a_choice_chooses_at_each_use() -> None:
    text = "MODULE main VAR x : 0..3; DEFINE e := 1; ASSIGN x := e; INVAR e = x"
    choice = terms.make(Op.SET, sorts.SetSort(sorts.INT), (ONE, TWO))
    invar = next(e for e in program_of(text).component("main").elements if not e.targets)
    chosen: dict[Element, Term | None] = {element(text, "e"): choice}

    assert judged(text, [{"x": 2}], bodies={**chosen, invar: None}).assumed
    assert not judged(text, [{"x": 3}], bodies={**chosen, invar: None}).assumed
    # No set is equal to anything.
    assert not judged(text, [{"x": 2}], bodies=chosen).assumed
    assert not judged(text, [{"x": 2}], bodies={**chosen, invar: terms.not_(invar.body)}).assumed


def test_assignments_that_wait_for_each_other_compute_nothing() -> None:
    text = "MODULE main VAR x : 0..3; y : 0..3; ASSIGN x := y;"
    twice = "MODULE main VAR x : 0..3; y : 0..3; ASSIGN x := y; next(y) := x; init(y) := 2;"

    assert judged(text, [{"y": 2}]).assumed
    assert ({"x": 2, "y": 2},) * 3 == judged(twice, [{}, {}, {}]).trace.steps
    around = {element(text, "x"): terms.var("x", sorts.INT)}
    assert ({"x": 0, "y": 2},) == judged(text, [{"y": 2}], bodies=around).trace.steps


def test_a_macro_that_reads_itself_is_no_model() -> None:
    with pytest.raises(InstantaneousLoop):
        judged(NUMBER, [{}], bodies={element(NUMBER, "e"): terms.var("e", sorts.INT)})


def test_each_use_of_a_set_chooses_anew() -> None:
    text = (
        "MODULE main VAR x : 0..1; y : 0..1; DEFINE d := {0, 1}; ASSIGN init(x) := d; init(y) := d;"
    )

    assert judged(text, [{"x": 0, "y": 1}]).assumed


PROCESSES = """
MODULE adder(n, by) ASSIGN next(n) := (n + by) mod 4;
MODULE main VAR n : 0..3; one : process adder(n, 1); two : process adder(n, 2); o : 0..1;
LTLSPEC G n = 0; FAIRNESS one.running
"""


@pytest.mark.parametrize(
    ("running", "values", "assumed"),
    [
        ("one", (0, 1), True),
        ("two", (0, 2), True),
        ("main", (0, 0), True),
        ("one", (0, 2), False),
        ("main", (0, 1), False),
    ],
)
def test_a_variable_of_processes_is_kept_while_none_runs(
    running: str, values: tuple[int, int], assumed: bool
) -> None:
    steps = [{"n": n, "o": o, "_process_selector_": running} for o, n in enumerate(values)]

    assert assumed == judged(PROCESSES, steps).assumed


@pytest.mark.parametrize(("running", "violated"), [("one", {"G n = 0": 3}), ("two", {})])
def test_only_fair_lassos_refute(running: str, violated: dict[str, int]) -> None:
    by = 1 if running == "one" else 2
    steps = [{"n": i * by % 4, "_process_selector_": running} for i in range(4)]

    assert Execution is type(judged(PROCESSES, steps, 0))
    assert judged(PROCESSES, steps, 0).assumed
    assert violated == judged(PROCESSES, steps, 0).violated
    assert {} == judged(PROCESSES, steps).violated


WALK = "MODULE main VAR n : 0..3; m : boolean; COMPASSION(n = 0, m);"


@pytest.mark.parametrize(
    ("stated", "fails"),
    [
        ("LTLSPEC G n < 3", True),
        ("LTLSPEC G (n = 3 -> Y Y n = 1)", False),
        ("LTLSPEC G (n = 1 -> Y n = 0)", True),
        ("LTLSPEC G F [0, 3] n = 3", False),
        ("LTLSPEC G F [0, 2] n = 3", True),
        ("SPEC AG n < 3", True),
        ("SPEC !EF n = 3", True),
        ("SPEC A [ n < 2 BU 1..2 n = 2 ]", False),
        ("SPEC A [ n < 2 BU 1..1 n = 2 ]", True),
        ("SPEC ABG 0..2 n < 2", True),
        ("SPEC EG n < 3", False),
        ("SPEC AG n < 3 <-> AG n < 2", False),
        ("SPEC n = 1", True),
        ("PSLSPEC always (n = 1 -> next n = 2)", False),
        ("PSLSPEC never n = 3", True),
        ("COMPUTE MIN [ n = 1, n = 0 ]", False),
    ],
)
def test_a_lasso_refutes_what_speaks_of_all_paths(stated: str, fails: bool) -> None:
    steps: list[State] = [{"n": n, "m": False} for n in (0, 1, 2, 3)]

    found = judged(f"{WALK} {stated};", steps, 1)

    assert found.assumed
    assert [3] * fails == list(found.violated.values())


@pytest.mark.parametrize(("stated", "violated"), [("LTLSPEC G n = 0", []), ("SPEC AG n = 0", [1])])
def test_compassion_is_for_linear_time_only(stated: str, violated: list[int]) -> None:
    steps: list[State] = [{"n": 0, "m": False}, {"n": 1, "m": False}]

    assert violated == list(judged(f"{WALK} {stated};", steps, 0).violated.values())


def test_an_invariant_of_steps_needs_a_step() -> None:
    text = f"{WALK} INVARSPEC n = 0 & next(n) = 0;"
    steps: list[State] = [{"n": 0}, {"n": 1}]

    assert [0] == list(judged(text, steps).violated.values())
    assert [] == list(judged(text, steps[1:]).violated.values())
    assert [0] == list(judged(text, steps[1:], 0).violated.values())


def test_a_loop_returns_to_a_step_that_exists() -> None:
    with pytest.raises(ValueError, match="no step 1 among 1"):
        judged(WALK, [{}], 1)
