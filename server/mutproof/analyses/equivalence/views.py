"""Compare what a changed DEFINE says where it is no variable of a state: a set, or of next values.

Such a DEFINE is copied to where it is read, so that states alike say nothing about it, but a
property could read it. A variable that looks at it is added to both sides: it chooses one of its
values, or remembers its value in the last step. Then states differ if, and only if, values do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.checking.replay import Difference
from mutproof.analyses.claims.observation import Observed
from mutproof.analyses.claims.verdict import Equivalent, Gap, Undetermined, Verdict
from mutproof.analyses.equivalence import kripke
from mutproof.analyses.equivalence.limits import ComparisonLimits
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.display import text
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.passes.macros import Macros
from mutproof.model.program import Element, ElementId, ElementKind, Program, Variable, VariableKind
from mutproof.model.sorts import BOOL, SetSort, Sort, Value
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
    """Hold the name of a DEFINE, its sort on the two sides, and whether it reads next values."""

    name: str
    sorts: tuple[Sort, Sort]
    ahead: tuple[bool, bool]

    @property
    def look(self) -> _Look | None:
        """Return what follows its value, or one value of it; None if no sort has those of both."""
        own, other = (sorts.widened(_value_sort(sort)) for sort in self.sorts)
        variable = Variable(VIEW_PREFIX + self.name, own, VariableKind.STATE)
        return _Look(variable, self._read, any(self.ahead)) if own == other else None

    def asked(self, choices: Choices) -> _Look | None:
        """Return what follows whether it has the value last chosen of it, or its only value."""
        look = self.look
        if look is None or not any(isinstance(sort, SetSort) for sort in self.sorts):
            return look
        value = choices.steps[-1].get(look.variable.name)
        if value is None:
            return None
        chosen = terms.const(value, look.variable.sort)
        name = f"{VIEW_PREFIX}{text(value)} in {self.name}"
        member = terms.make(Op.IN, BOOL, (chosen, self._read))
        return _Look(Variable(name, BOOL, VariableKind.STATE), member, look.ahead)

    @property
    def _read(self) -> Term:
        return terms.var(self.name, self.sorts[0])


class Views:
    """Compare one mutant of DEFINEs; caches only."""

    def __init__(
        self, baseline: Baseline, bodies: Mapping[Element, Term | None], notary: Notary
    ) -> None:
        self._program = baseline.program
        self._lasts = baseline.lasts
        self._bodies = dict(bodies)
        self._notary = notary

    @cached_property
    def found(self) -> Sequence[_View]:
        """Return views of the changed DEFINEs that are no variables on some side."""
        main = self._program.component(self._program.main)
        changed = {
            element.targets[0]: (element, body)
            for element, body in self._bodies.items()
            if element.kind is ElementKind.DEFINE and body is not None
        }
        if not changed:
            return []
        before = Macros(main)
        after = before.with_bodies({name: body for name, (_, body) in changed.items()})
        unstored = (
            before.unstored
            | Macros(self._program.with_bodies(self._bodies).component(main.name)).unstored
        )
        return [
            _View(
                name,
                (element.body.sort, body.sort),
                (
                    _reads_ahead(before.expanded(element.body)),
                    _reads_ahead(after.expanded(body)),
                ),
            )
            for name, (element, body) in changed.items()
            if name in unstored
        ]

    def compare(self, invariants: tuple[Term, ...], limits: ComparisonLimits) -> Verdict:
        """Return whether the sides have the same states, steps and values of these DEFINEs."""

        def confirm(choices: Choices, how: str) -> Gap | None:
            found = self._difference(choices, how)
            return None if found is None else found[0]

        watched = self._watched
        if watched is None:
            return Undetermined(_OTHER_TYPE, 0)
        changed = watched.with_bodies(self._bodies)
        try:
            here, there = (interpretation(one).system() for one in (watched, changed))
        except NoCommonSort:
            return Undetermined(_OTHER_TYPE, 0)
        found = kripke.compare(here, there, confirm, invariants, limits=limits)
        alike = self._lasts or all(here == there for here, there in (v.ahead for v in self.found))
        if isinstance(found, Equivalent) and not alike:
            return Undetermined("a DEFINE may differ where executions end", 0)
        return found

    def shown(self, gap: Gap) -> Difference | None:
        """Replay a gap found before; return its difference, None if there is none today."""
        found = self._difference(gap.choices, gap.how)
        return None if found is None else found[1]

    @cached_property
    def _watched(self) -> Program | None:
        """Return the program that the views look at; None if one has no sort for both sides."""
        looks = [view.look for view in self.found]
        return None if None in looks else self._looked_at([one for one in looks if one])

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
        looks = [look for view in self.found if (look := view.asked(choices)) is not None]
        meaning = interpretation(self._looked_at(looks))
        leaves = {
            look.variable.name + suffix: look.ahead
            for look in looks
            for suffix, _ in sorts.leaves(look.variable.sort)
        }
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


def _value_sort(sort: Sort) -> Sort:
    return sort.element if isinstance(sort, SetSort) else sort


def _reads_ahead(term: Term) -> bool:
    return any(part.op is Op.NEXT_VAR for part in walk.subterms(term))


def _plain(choices: Choices) -> Choices:
    """Return choices of the program alone, without those of what looks at it."""
    steps = tuple(
        {name: value for name, value in step.items() if not name.startswith(VIEW_PREFIX)}
        for step in choices.steps
    )
    return replace(choices, steps=steps)
