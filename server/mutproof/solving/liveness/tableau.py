"""A linear-time formula as variables and constraints whose fair paths are those that satisfy it.

With negations at the leaves, variables are duties: `X g`, or an until that still waits, makes one,
and each step passes it on or fulfils it. Needless duties are not forbidden, so constraints are
implications. The past is remembered exactly. `F G g` and `G F g` do not depend on the step at which
they are asked: a single variable guesses that the former has begun, and the latter is a condition
that recurs.

Source: Clarke, Grumberg and Hamaguchi, Another look at LTL model checking, 1997; for negations
at the leaves, Gerth, Peled, Vardi and Wolper, PSTV 1995.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.model import terms, walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.sorts import BOOL
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
)
from mutproof.model.terms import Term
from mutproof.solving.bounded_operators import WRITTEN_OUT, LargeBoundError, without_bounds
from mutproof.solving.formulas import is_temporal, shifted
from mutproof.solving.solver import UnsupportedTermError

PREFIX = "?ltl:"
"""The prefix of the names of variables of a tableau."""


@dataclass(frozen=True, slots=True)
class FormulaTableau:
    """Hold the variables of a formula, how they change, and what must recur (`justice`).

    `duties` are variables none of which needs to hold from some step on, on each path that
    satisfies the formula: once none does, nothing is left to be done. None: there is no such
    step.
    """

    variables: Mapping[str, SystemVariable]
    constraints: tuple[Constraint, ...]
    justice: tuple[Term, ...]
    duties: tuple[Term, ...] | None


def tableau(
    formula: Term,
    justice: tuple[Term, ...] = (),
    compassion: tuple[tuple[Term, Term], ...] = (),
) -> FormulaTableau:
    """Return the tableau of the fair paths that satisfy a formula.

    Raises:
        UnsupportedTermError: an operator or a bound has no place in it.
    """
    builder = _Builder(_without_bounds(formula))
    builder.require()
    for often in justice:
        builder.justice.append(builder.now(often))
    for asked, given in compassion:
        builder.strong(asked, given)
    duties = tuple(builder.duties) if builder.ends else None
    return FormulaTableau(
        builder.variables, tuple(builder.constraints), tuple(builder.justice), duties
    )


_Claim = tuple[Term, bool]
"""A formula, or its negation where the second part is false."""

_NEGATED = {
    Op.AND: Op.OR,
    Op.OR: Op.AND,
    Op.X: Op.X,
    Op.F: Op.G,
    Op.G: Op.F,
    Op.U: Op.V,
    Op.V: Op.U,
    Op.Y: Op.Z,
    Op.Z: Op.Y,
    Op.O: Op.H,
    Op.H: Op.O,
    Op.S: Op.T,
    Op.T: Op.S,
}
_SAME = frozenset({Op.IFF, Op.XNOR, Op.EQ})
_DIFFERENT = frozenset({Op.XOR, Op.NE})


@dataclass(slots=True)
class _Builder:
    """Build a tableau; mutable.

    `ends` is false once an obligation of the formula lasts forever.
    """

    formula: Term
    variables: dict[str, SystemVariable] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)
    justice: list[Term] = field(default_factory=list)
    duties: list[Term] = field(default_factory=list)
    ends: bool = True
    timed: dict[Term, bool] = field(default_factory=dict)
    truths: dict[_Claim, Term] = field(default_factory=dict)

    def require(self) -> None:
        """Ask that the formula holds at the first step."""
        is_temporal(self.formula, self.timed)
        waiting: list[tuple[_Claim, bool]] = [((self.formula, True), False)]
        while waiting:
            claim, always = waiting.pop()
            op, parts = self._parts(claim)
            if op is Op.AND:
                waiting.extend((part, always) for part in reversed(parts))
            elif op is Op.G:
                self.ends = False
                waiting.append((parts[0], True))
            elif op is Op.F and self._parts(parts[0])[0] is Op.G:
                self._settled(self._parts(parts[0])[1][0])
            elif op is Op.F and always:
                self.justice.append(self.truth(parts[0]))
            else:
                kind = ConstraintKind.INVAR if always else ConstraintKind.INIT
                self._state(kind, self.truth(claim))

    def strong(self, asked: Term, given: Term) -> None:
        """Ask that `given` recurs if `asked` does: or else `asked` never comes again."""
        over = self._lasting()
        self._state(ConstraintKind.INVAR, terms.implies(over, self.now(terms.not_(asked))))
        self.justice.append(_or(over, self.now(given)))

    def now(self, term: Term) -> Term:
        """Return a term without time, over this state alone: a duty where it reads the next."""
        if all(part.op is not Op.NEXT_VAR for part in walk.subterms(term)):
            return term
        duty = self._variable()
        self.duties.append(duty)
        self._step(terms.implies(duty, term))
        return duty

    def truth(self, claim: _Claim) -> Term:
        """Return a term that is true only where the claim is."""
        stack = [claim]
        while stack:
            found = stack[-1]
            if found in self.truths:
                stack.pop()
                continue
            op, parts = self._parts(found)
            if op in {Op.F, Op.G}:
                inner, below = self._parts(parts[0])
                if inner in {Op.F, Op.G} and inner is not op:
                    parts = below
                    op = Op.U if op is Op.G else Op.V  # here they mean G F and F G
                    missing = [part for part in parts if part not in self.truths]
                    if missing:
                        stack.extend(missing)
                        continue
                    stack.pop()
                    self.truths[found] = self._recurring(op, parts[0])
                    continue
            missing = [part for part in parts if part not in self.truths]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self.truths[found] = self._combined(found, op, [self.truths[p] for p in parts])
        return self.truths[claim]

    # --- private ----------------------------------------------------------------------------------

    def _parts(self, claim: _Claim) -> tuple[Op | None, tuple[_Claim, ...]]:
        """Return a claim's operator (None: a leaf) and operands, with negations pushed inwards."""
        term, positive = claim
        while term.op is Op.NOT and self.timed[term]:
            term, positive = term.args[0], not positive
        if not self.timed[term]:
            return None, ()
        args = term.args
        if term.op is Op.IMPLIES:
            op = Op.OR if positive else Op.AND
            return op, ((args[0], not positive), (args[1], positive))
        if term.op in _SAME or term.op in _DIFFERENT:
            same = (term.op in _SAME) is positive
            op = Op.IFF if same else Op.XOR
            return op, tuple((arg, sign) for arg in args for sign in (True, False))
        if term.op is Op.ITE:
            condition = ((args[0], True), (args[0], False))
            return Op.ITE, (*condition, (args[1], positive), (args[2], positive))
        if term.op in _NEGATED:
            op = term.op if positive else _NEGATED[term.op]
            return op, tuple((arg, positive) for arg in args)
        message = f"{term.op.value} has no place in a linear-time formula"
        raise UnsupportedTermError(message)

    def _combined(self, claim: _Claim, op: Op | None, args: list[Term]) -> Term:
        match op:
            case None:
                return self._leaf(claim)
            case Op.AND:
                return _and(args[0], args[1])
            case Op.OR:
                return _or(args[0], args[1])
            case Op.IFF:
                return _or(_and(args[0], args[2]), _and(args[1], args[3]))
            case Op.XOR:
                return _or(_and(args[0], args[3]), _and(args[1], args[2]))
            case Op.ITE:
                return _or(_and(args[0], args[2]), _and(args[1], args[3]))
            case Op.X:
                duty = self._variable()
                self.duties.append(duty)
                self._step(terms.implies(duty, shifted(args[0])))
                return duty
            case Op.F:
                return self._until(terms.TRUE, args[0])
            case Op.U:
                return self._until(args[0], args[1])
            case Op.G:
                return self._release(terms.FALSE, args[0])
            case Op.V:
                return self._release(args[0], args[1])
            case Op.Y | Op.Z:
                return self._remembered(args[0], first=op is Op.Z)
            case Op.O:
                return self._since(terms.TRUE, args[0])
            case Op.S:
                return self._since(args[0], args[1])
            case Op.H:
                return self._trigger(terms.FALSE, args[0])
            case Op.T:
                return self._trigger(args[0], args[1])
            case _:
                raise NotImplementedError(op)

    def _leaf(self, claim: _Claim) -> Term:
        term, positive = claim
        while term.op is Op.NOT:
            term, positive = term.args[0], not positive
        return self.now(term if positive else _not(term))

    def _recurring(self, op: Op, part: _Claim) -> Term:
        """Return a variable that, once true, demands `G F part` (U) or `F G part` (V)."""
        self.ends = False
        asked = self._lasting()
        if op is Op.U:
            self.justice.append(_or(terms.not_(asked), self.truth(part)))
            return asked
        begun = self._lasting()
        self._state(ConstraintKind.INVAR, terms.implies(begun, self.truth(part)))
        self.justice.append(_or(terms.not_(asked), begun))
        return asked

    def _settled(self, part: _Claim) -> None:
        """Require `F G part` from the first step."""
        self.ends = False
        begun = self._lasting()
        self._state(ConstraintKind.INVAR, terms.implies(begun, self.truth(part)))
        self.justice.append(begun)

    def _until(self, left: Term, right: Term) -> Term:
        duty = self._variable()
        self.duties.append(duty)
        whole = _or(right, _and(left, duty))
        self._step(terms.implies(duty, shifted(whole)))
        self.justice.append(terms.not_(duty))
        return whole

    def _release(self, left: Term, right: Term) -> Term:
        self.ends = False
        duty = self._variable()
        whole = _and(right, _or(left, duty))
        self._step(terms.implies(duty, shifted(whole)))
        return whole

    def _since(self, left: Term, right: Term) -> Term:
        memory = self._variable()
        whole = _or(right, _and(left, memory))
        self._remember(memory, whole, first=False)
        return whole

    def _trigger(self, left: Term, right: Term) -> Term:
        memory = self._variable()
        whole = _and(right, _or(left, memory))
        self._remember(memory, whole, first=True)
        return whole

    def _remembered(self, term: Term, *, first: bool) -> Term:
        memory = self._variable()
        self._remember(memory, term, first=first)
        return memory

    def _remember(self, memory: Term, term: Term, *, first: bool) -> None:
        name = str(memory.payload)
        begins = terms.eq(memory, terms.bool_(first))
        follows = terms.eq(terms.next_var(name, BOOL), term)
        self.constraints.append(Constraint(ConstraintKind.INIT, begins, defines=name))
        self.constraints.append(Constraint(ConstraintKind.TRANS, follows, defines=name))

    def _lasting(self) -> Term:
        """Return a variable that, once true, stays true."""
        variable = self._variable()
        self._step(terms.implies(variable, shifted(variable)))
        return variable

    def _variable(self) -> Term:
        name = f"{PREFIX}{len(self.variables)}"
        self.variables[name] = SystemVariable(name, BOOL, SystemVariableKind.STATE, shown=False)
        return terms.var(name, BOOL)

    def _state(self, kind: ConstraintKind, term: Term) -> None:
        if term is not terms.TRUE:
            self.constraints.append(Constraint(kind, term))

    def _step(self, term: Term) -> None:
        self.constraints.append(Constraint(ConstraintKind.TRANS, term))


def _and(left: Term, right: Term) -> Term:
    if left is terms.FALSE or right is terms.FALSE:
        return terms.FALSE
    if left is terms.TRUE or right is terms.TRUE:
        return right if left is terms.TRUE else left
    return terms.and_(left, right)


def _or(left: Term, right: Term) -> Term:
    if left is terms.TRUE or right is terms.TRUE:
        return terms.TRUE
    if left is terms.FALSE or right is terms.FALSE:
        return right if left is terms.FALSE else left
    return terms.or_(left, right)


def _not(term: Term) -> Term:
    if term.op is Op.CONST:
        return terms.bool_(not term.payload)
    return terms.not_(term)


def _without_bounds(formula: Term) -> Term:
    """Return the formula with bounded operators expanded into single steps.

    Raises:
        UnsupportedTermError: an operator has no bounds here, or a bound is too large.
    """
    for term in walk.subterms(formula):
        timed = term.op in LINEAR_TIME or term.op in BRANCHING_TIME
        if timed and term.payload is not None and term.op not in WRITTEN_OUT:
            message = f"{term.op.value} has no bounds in a linear-time formula"
            raise UnsupportedTermError(message)
    try:
        return without_bounds(formula)
    except LargeBoundError as large:
        raise UnsupportedTermError(str(large)) from large
