"""Certificates as readable SMT-LIB 2.6 scripts that other solvers check.

A script states what `certify` checks, constraint by constraint: every `check-sat` must answer
`unsat`. The first ones are the base cases, the last one is the step. Variable v at step k is
`|v@k|`; symbolic constants are integers, which comments name.

Source: The SMT-LIB Standard, version 2.6, Barrett, Fontaine and Tinelli, 2021.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model import sorts, walk
from mutproof.model.sorts import Sort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.solver import Formula
from mutproof.solving.unroll import Unrolling
from mutproof.solving.verdict import Certificate
from mutproof.solving.z3_solver import Z3Solver


@dataclass(frozen=True, slots=True)
class CertificateQuestion:
    """Hold all that a certificate is checked from, and nothing else.

    `bounded` are variables that keep the bounds of their sorts in every state, `first` those
    that keep them in the first state. `goals` are terms with the names of their properties.
    """

    variables: tuple[SystemVariable, ...]
    constraints: tuple[Constraint, ...]
    bounded: tuple[str, ...]
    first: tuple[str, ...]
    k: int
    lemmas: tuple[Term, ...]
    goals: tuple[tuple[str, Term], ...]


def question(
    system: TransitionSystem,
    certificate: Certificate,
    *,
    kept: frozenset[Digest] | None = None,
    unbounded: frozenset[str] = frozenset(),
    ranged: frozenset[str] = frozenset(),
) -> CertificateQuestion:
    """Return what a certificate of a system is checked from.

    With `kept`, only the constraints with those digests are used: fewer constraints make the check
    harder, never easier. So does dropping the bounds of the `unbounded` variables after the first
    state. `ranged` are variables that are in bounds for another reason.

    Raises:
        KeyError: a goal is no property of the system.
    """
    goals = tuple((name, system.property(name).term) for name in certificate.goals)
    constraints = tuple(
        constraint
        for constraint in dict.fromkeys(system.constraints)
        if kept is None or constraint.digest in kept
    )
    read: set[str] = set()
    for term in (*certificate.lemmas, *(term for _, term in goals)):
        read |= walk.variables(term)
    for constraint in constraints:
        read |= walk.variables(constraint.term)
    # A variable has the values of its definition, even out of bounds.
    loose = (defined_variables(system) - ranged) | unbounded
    variables = tuple(declared for name, declared in system.variables.items() if name in read)
    limited = [v for v in variables if _is_limited(v.sort)]
    state = SystemVariableKind.STATE
    return CertificateQuestion(
        variables,
        constraints,
        tuple(v.name for v in limited if v.name not in loose),
        tuple(v.name for v in limited if v.name in loose and v.kind is state),
        certificate.k,
        certificate.lemmas,
        goals,
    )


def defined_variables(system: TransitionSystem) -> frozenset[str]:
    """Return the variables that a constraint defines in every state, the first perhaps excepted."""
    return frozenset(
        constraint.defines
        for constraint in system.constraints
        if constraint.defines is not None and constraint.kind is not ConstraintKind.INIT
    )


def script(asked: CertificateQuestion, header: Iterable[str] = ()) -> str:
    """Return the script of a question, its lines of comment first.

    Raises:
        SolvingError: a term has no translation.
    """
    return _Script(asked).text(header)


def checks(asked: CertificateQuestion) -> int:
    """Return the number of answers of a script, all of which must be `unsat`."""
    return asked.k + 1


class _Script:
    """Write one SMT-LIB script; single use."""

    def __init__(self, asked: CertificateQuestion) -> None:
        self._asked = asked
        self._solver = Z3Solver()
        bare = TransitionSystem({v.name: v for v in asked.variables}, (), (), relational=True)
        self._unrolling = Unrolling(self._solver, bare, initial=False)
        self._sorts = {v.name: v.sort for v in asked.variables}

    def text(self, header: Iterable[str]) -> str:
        initiation = [*self._part(initial=True)]
        consecution = [*self._part(initial=False)]
        # Declarations come last because translating the terms names the functions.
        lines = [*map(comment, header), "(set-info :smt-lib-version 2.6)", "(set-logic ALL)"]
        lines += self._declarations()
        lines += ["", "; --- initiation: the claim holds in the first states", "(push 1)"]
        lines += initiation
        lines += ["(pop 1)", "", "; --- consecution: the claim is kept by every step", "(push 1)"]
        lines += consecution
        lines += ["(pop 1)", "(exit)", ""]
        return "\n".join(lines)

    def _declarations(self) -> Iterator[str]:
        context = self._solver.context
        for code, symbol in sorted(context.symbols.items()):
            yield comment(f"{code} stands for {symbol}")
        for key, (_, inputs, output) in sorted(context.functions.items(), key=lambda f: f[0]):
            domain = " ".join(map(_raw_sort, inputs))
            yield f"(declare-fun |{key[0]}#{key[1]}| ({domain}) {_raw_sort(output)})"
        for number in range(self._asked.k + 1):
            for declared in self._asked.variables:
                symbol = self._formula(self._unrolling.variable(declared.name, number))
                yield f"(declare-fun {symbol} () {_raw_sort(declared.sort)})"

    def _part(self, *, initial: bool) -> Iterator[str]:
        k = self._asked.k
        last = k - 1 if initial else k
        for number in range(last + 1):
            yield f"; step {number}"
            yield from self._frame(number, initial=initial)
            yield from self._claim(number)
            if initial or number == k:
                yield "; the claim fails here: impossible"
                yield "(push 1)"
                yield f"(assert (not |claim: step {number}|))"
                yield "(set-info :status unsat)"
                yield "(check-sat)"
                yield "(pop 1)"
            if number < last:
                yield f"(assert |claim: step {number}|)"

    def _claim(self, number: int) -> Iterator[str]:
        """Yield the definition of the claim: lemmas and properties hold at a step."""
        yield f"(define-fun |claim: step {number}| () Bool (and true"
        said = [(f"lemma {i}", term) for i, term in enumerate(self._asked.lemmas, 1)]
        said += [(f"property {name}", term) for name, term in self._asked.goals]
        for about, term in said:
            yield f"  {comment(about)}"
            yield f"  {self._formula(self._unrolling.term(term, number))}"
        yield "))"

    def _frame(self, number: int, *, initial: bool) -> Iterator[str]:
        """Yield the constraints on a step, and between the previous step and it."""
        asked = self._asked
        names = asked.bounded if number or not initial else (*asked.bounded, *asked.first)
        for name in names:
            value = self._unrolling.variable(name, number)
            bounds = self._solver.in_domain(value, self._sorts[name])
            if bounds is not None:
                yield f"(assert {self._formula(bounds)})"
        for constraint in asked.constraints:
            match constraint.kind:
                case ConstraintKind.INIT if initial and number == 0:
                    yield from self._constraint(constraint, 0)
                case ConstraintKind.INVAR:
                    yield from self._constraint(constraint, number)
                case ConstraintKind.TRANS if number > 0:
                    yield from self._constraint(constraint, number - 1)
                case _:
                    pass

    def _constraint(self, constraint: Constraint, number: int) -> Iterator[str]:
        owner = constraint.owner
        yield comment(_memory(constraint) if owner is None else f"{owner.kind} {owner}")
        yield f"(assert {self._formula(self._unrolling.term(constraint.term, number))})"

    def _formula(self, formula: Formula) -> str:
        return _safe(self._solver.context.smtlib(formula))


def comment(text: str) -> str:
    """Return a text as one line of comment."""
    return f"; {' '.join(text.split())}".rstrip()


def _is_limited(sort: Sort) -> bool:
    """Tell whether a sort has fewer values than the solver's sort for it."""
    match sort:
        case sorts.IntSort(low, high):
            return low is not None or high is not None
        case sorts.EnumSort(_, values):
            return bool(values)
        case _:
            return False


def _memory(constraint: Constraint) -> str:
    return "structure" if constraint.defines is None else f"structure: {constraint.defines}"


def _raw_sort(sort: Sort) -> str:
    match sort:
        case sorts.BoolSort():
            return "Bool"
        case sorts.RealSort():
            return "Real"
        case sorts.WordSort(width, _):
            return f"(_ BitVec {width})"
        case _:
            return "Int"


def _safe(text: str) -> str:
    """Return a text whose quoted symbols have no bar or backslash, as SMT-LIB demands."""
    return re.sub(r"\\(.)", lambda found: "#" if found[1] == "|" else "%5C", text)
