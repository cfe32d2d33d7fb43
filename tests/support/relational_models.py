"""Small NuSMV models with every construct, and their lowered systems checked term by term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random

from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model import sorts, walk
from mutproof.model.compile import Compiled, Compiler
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Program, PropertyKind, VariableKind
from mutproof.model.relational import STEP_PREFIX
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.sorts import Sort, Value
from mutproof.model.system import Constraint, ConstraintKind
from mutproof.model.terms import Term
from support.explicit import StateSpace, explore

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
INVARSPEC toint(s) / (n + 1) < 1 & -s >= -0sd2_1;
INVARSPEC extend(s, 1) + 0sd3_1 > -0sd3_2 | (u xor sum) mod 0ud3_3 = 0ud3_0;
INVARSPEC u / (low[2:1] :: word1(b)) > 0ud3_0 | low[2:1] :: word1(b) = 0ud3_0 | b;
LTLSPEC F (count(b, n > 1, bool(word1(b))) = 2);
SPEC AX swconst(-1, 2) != s;
""",
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


class Lowered:
    """A lowered system checked constraint by constraint, without what remembers steps."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.evaluator = RelationalEvaluator(program)
        self.system = interpretation(program).system()
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
        return any(name.startswith(STEP_PREFIX) for name in walk.variables(constraint.term))

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
