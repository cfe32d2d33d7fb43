"""Compare what a changed DEFINE says where it is no variable of a state: a set, or of next values.

Such a DEFINE is copied to where it is read, so that states alike say nothing about it, but a
property could read it. A variable that looks at it is added to both sides: it chooses one of its
values, or remembers its value in the last step. Then states differ if, and only if, values do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.checking.replay import Difference
from mutproof.analyses.claims.observation import Observed
from mutproof.analyses.claims.verdict import Equivalent, Gap, Undetermined, Verdict
from mutproof.analyses.equivalence import kripke
from mutproof.analyses.equivalence.limits import ComparisonLimits
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.display import text
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.passes.flattener import Flattener
from mutproof.model.passes.macros import Macros
from mutproof.model.program import (
    Bodies,
    Element,
    ElementId,
    ElementKind,
    Program,
    Variable,
    VariableKind,
)
from mutproof.model.sorts import BOOL, ArraySort, EnumSort, IntSort, SetSort, Sort, Value
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace

VIEW_PREFIX = "?value:"
"""The prefix of names of variables that look at a DEFINE."""

_OTHER_TYPE = "the mutant changes the type of a DEFINE"


@dataclass(frozen=True, slots=True)
class _Look:
    """Hold a variable that follows a value, in the same state or, `ahead`, in the next one."""

    variable: Variable
    value: Term
    ahead: bool


@dataclass(frozen=True, slots=True)
class _View:
    """Hold a DEFINE, whether the sides read next values, and whether one is a set.

    `sort` has all values of both sides.
    """

    name: str
    declared: Sort
    sort: Sort
    ahead: tuple[bool, bool]
    chooses: bool

    @property
    def looks(self) -> list[_Look]:
        """Return what follows its value, or one of its values; of an array, each cell's."""
        return [
            _Look(Variable(VIEW_PREFIX + name, sort, VariableKind.STATE), cell, any(self.ahead))
            for name, cell, sort in self._cells()
        ]

    def asked(self, choices: Choices) -> list[_Look]:
        """Return what follows whether it has the value last chosen of it, or its only value."""
        if not self.chooses:
            return self.looks
        value = choices.steps[-1].get(VIEW_PREFIX + self.name)
        if value is None:
            return []
        name = f"{VIEW_PREFIX}{text(value)} in {self.name}"
        read = terms.var(self.name, self.declared)
        member = terms.make(Op.IN, BOOL, (_constant(value), read))
        return [_Look(Variable(name, BOOL, VariableKind.STATE), member, any(self.ahead))]

    def _cells(self) -> Iterator[tuple[str, Term, Sort]]:
        """Yield names, terms and sorts of the scalars that it has."""
        stack = [(self.name, terms.var(self.name, self.declared), self.sort)]
        while stack:
            name, read, sort = stack.pop()
            if not isinstance(sort, ArraySort):
                yield name, read, sort
                continue
            for place in range(sort.low, sort.high + 1):
                cell = terms.make(Op.INDEX, sort.element, (read, terms.int_(place)))
                stack.append((f"{name}[{place}]", cell, sort.element))


class Views:
    """Look at what mutants of one model change; caches only."""

    def __init__(self, baseline: Baseline, notary: Notary) -> None:
        self._baseline = baseline
        self._notary = notary

    def of(self, bodies: Bodies) -> MutantViews | None:
        """Return what compares the changed DEFINEs; None if each is a variable on both sides."""
        macros = self._macros
        for element, body in bodies.items():
            if element.kind is ElementKind.DEFINE and (
                element.targets[0] in macros.unstored
                or (body is not None and macros.is_of_no_state(body))
            ):
                return MutantViews(self._baseline, macros, self._notary, bodies)
        return None

    @cached_property
    def _macros(self) -> Macros:
        program = self._baseline.program
        return Macros(program.component(program.main))


class MutantViews:
    """Compare one mutant of DEFINEs, some of which are no variables; caches only."""

    def __init__(
        self,
        baseline: Baseline,
        macros: Macros,
        notary: Notary,
        bodies: Bodies,
    ) -> None:
        self._program = baseline.program
        self._lasts = baseline.lasts
        self._bodies = dict(bodies)
        self._notary = notary
        program = self._program.with_bodies(self._bodies)
        self._sides = tuple(one.component(one.main) for one in (self._program, program))
        self._macros = macros, Macros(self._sides[1])
        # One may read another that is a variable only in the model.
        unstored = macros.unstored | self._macros[1].unstored
        self._compared = {
            element: body
            for element, body in bodies.items()
            if body is not None and not unstored.isdisjoint(element.targets)
        }

    @property
    def digest(self) -> Digest:
        """Return a digest of what is compared, beyond the states and steps of both sides."""
        before, after = self._macros
        parts = [str(self._lasts)]
        for element, body in self._compared.items():
            parts += [element.targets[0], before.expanded(element.body).digest.hex()]
            parts.append(after.expanded(body).digest.hex())
        return digest_parts(*parts)

    @cached_property
    def _views(self) -> Sequence[_View] | None:
        """Return views of these DEFINEs; None if one has no sort for both sides."""
        found = []
        before, after = self._macros
        here, there = map(Flattener, self._sides)
        for element, body in self._compared.items():
            sort = _common((here, element.body), (there, body))
            if sort is None:
                return None
            ahead = (
                _reads_ahead(before.expanded(element.body)),
                _reads_ahead(after.expanded(body)),
            )
            chooses = any(isinstance(one.sort, SetSort) for one in (element.body, body))
            found.append(_View(element.targets[0], element.body.sort, sort, ahead, chooses))
        return found

    def compare(self, invariants: tuple[Term, ...], limits: ComparisonLimits) -> Verdict:
        """Return whether the sides have the same states, steps and values of these DEFINEs."""

        def confirm(choices: Choices, how: str) -> Gap | None:
            found = self._difference(choices, how)
            return None if found is None else found[0]

        views = self._views
        if views is None:
            return Undetermined(_OTHER_TYPE, 0)
        watched = self._looked_at(look for view in views for look in view.looks)
        changed = watched.with_bodies(self._bodies)
        try:
            here, there = (interpretation(one).system() for one in (watched, changed))
        except NoCommonSort:
            return Undetermined(_OTHER_TYPE, 0)
        found = kripke.compare(here, there, confirm, invariants, limits=limits, viewed=True)
        alike = self._lasts or all(here == there for here, there in (view.ahead for view in views))
        if isinstance(found, Equivalent) and not alike:
            return Undetermined("a DEFINE may differ where executions end", 0)
        return found

    def shown(self, gap: Gap) -> Difference | None:
        """Replay a gap found before; return its difference, None if there is none today."""
        found = self._difference(gap.choices, gap.how)
        return None if found is None else found[1]

    def _looked_at(self, looks: Iterable[_Look]) -> Program:
        """Return the program with variables that follow its DEFINEs, and without properties."""
        main = self._program.component(self._program.main)
        variables, elements = list(main.variables), list(main.elements)
        for look in looks:
            kind = ElementKind.NEXT_ASSIGN if look.ahead else ElementKind.CURRENT_ASSIGN
            name = look.variable.name
            variables.append(look.variable)
            identity = ElementId(main.name, kind.value, name)
            elements.append(Element(identity, kind, (name,), look.value))
        watched = replace(
            main,
            variables=tuple(variables),
            elements=tuple(elements),
            properties=(),
            fairness=(),
            compassion=(),
        )
        return Program(self._program.traits, (watched,), self._program.main)

    def _difference(self, choices: Choices, how: str) -> tuple[Gap, Difference] | None:
        """Return the first difference of an execution in these DEFINEs, None if it shows none."""
        looks = [look for view in self._views or () for look in view.asked(choices)]
        meaning = interpretation(self._looked_at(looks))
        leaves = {look.variable.name: look.ahead for look in looks}
        found = self._notary.gap(
            lambda one: meaning.run(_plain(one)),
            lambda one: meaning.run(_plain(one), self._bodies),
            [Observed(name) for name in leaves],
            choices,
            how=how,
            valued=True,
        )
        return None if found is None else (found[0], _told(found[1], leaves))


def _told(found: Difference, leaves: Mapping[str, bool]) -> Difference:
    """Return a difference in views as one in what they look at; some look at the step before."""
    late = bool(found.names) and all(leaves[name] for name in found.names)
    length = len(found.choices.steps) - late

    def told(trace: Trace) -> Trace:
        steps = tuple(_of_step(trace.steps, leaves, step) for step in range(length))
        return Trace(
            replace(_plain(trace.choices), steps=_plain(trace.choices).steps[:length]), steps
        )

    model, mutant = told(found.model), told(found.mutant)
    names = tuple(name.removeprefix(VIEW_PREFIX) for name in found.names)
    return Difference(model.choices, names, model, mutant, found.allowed)


def _of_step(
    steps: Sequence[Mapping[str, Value]], leaves: Mapping[str, bool], step: int
) -> dict[str, Value]:
    """Return the values of a step, with those of views under the names of what they look at."""
    found = {name: value for name, value in steps[step].items() if name not in leaves}
    for name, ahead in leaves.items():
        if step + ahead < len(steps):
            found[name.removeprefix(VIEW_PREFIX)] = steps[step + ahead][name]
    return found


def _common(*sides: tuple[Flattener, Term]) -> Sort | None:
    """Return a sort that has the values of terms of two programs, also those in sets."""
    own, other = (
        sorts.widened(body.sort.element if isinstance(body.sort, SetSort) else body.sort)
        for _, body in sides
    )
    if own == other and all(not isinstance(leaf, EnumSort) for _, leaf in sorts.leaves(own)):
        return own
    try:
        values = frozenset[Value]().union(*(side.values(body) for side, body in sides))
    except NoCommonSort:
        return None
    listed = [value for value in values if isinstance(value, int | str)]
    symbols = EnumSort("", tuple(sorted(listed, key=lambda value: (str(type(value)), value))))
    if own == other and isinstance(own, ArraySort):
        return ArraySort(own.low, own.high, symbols) if isinstance(own.element, EnumSort) else None
    return symbols if {type(own), type(other)} <= {IntSort, EnumSort} else None


def _constant(value: Value) -> Term:
    """Return a value of a scalar as a term."""
    if isinstance(value, bool):
        return terms.bool_(value)
    return terms.int_(value) if isinstance(value, int) else terms.const(value, sorts.SYMBOL)


def _reads_ahead(term: Term) -> bool:
    return Op.NEXT_VAR in walk.operators(term)


def _plain(choices: Choices) -> Choices:
    """Return choices of the program alone, without those of what looks at it."""
    steps = tuple(
        {name: value for name, value in step.items() if not name.startswith(VIEW_PREFIX)}
        for step in choices.steps
    )
    return replace(choices, steps=steps)
