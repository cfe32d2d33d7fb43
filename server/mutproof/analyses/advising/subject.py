"""What advice is about: a program, how its text speaks of it, and verdicts on its properties."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

from mutproof.analyses.advising.advice import Advice, AdviceStatus, Backing
from mutproof.analyses.advising.conditional import (
    Conditional,
    IsWritten,
    Occurring,
    conditionals,
    occurring,
)
from mutproof.analyses.advising.question import Asking, ElementInstance
from mutproof.analyses.advising.uses import VariableUses
from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms
from mutproof.model.instances import unfold
from mutproof.model.operators import Op
from mutproof.model.program import Component, ElementId, Program, Role, VariableKind
from mutproof.model.roles import roles
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Path, Term

LONGEST_QUOTE = 48


@dataclass(frozen=True, slots=True)
class ScalarVariable:
    """Hold a variable of an instance, or an element of an array: the part `suffix` of it.

    It is `declared` under this name at a `place` that instances share; executions have its
    values under the name `leaf`.
    """

    component: str
    name: str
    suffix: str
    declared: str
    kind: VariableKind
    sort: Sort
    term: Term
    place: Hashable
    instance: str
    leaf: str

    def static(self, name: str, message: str | None) -> Asking:
        """Return an inquiry that asks nothing: the text gives its advice, None if no `message`."""
        yield ()
        if message is None:
            return None
        found, text = AdviceStatus.FOUND, Backing.TEXT
        return Advice(name, found, message, text, component=self.component, variable=self.name)


@dataclass(frozen=True)
class AdviceSubject:
    """Hold a program and what is known of it.

    `quote` returns the text of a subterm as it is written, empty if it has none, `print_term` a
    term as the language writes it; `place` a key
    that variables of one declaration share, None for those that nobody declared. `properties`
    are the verdicts, by name, where they were asked for.
    """

    program: Program
    quote: Callable[[ElementId, Path], str]
    print_term: Callable[[Term], str]
    place: Callable[[str, str], tuple[Hashable, str] | None]
    properties: Mapping[str, PropertyFinding]

    def components(self) -> Iterator[tuple[Component, str]]:
        """Yield the components that are looked at, once for each instance, with its prefix.

        Flat programs have one component, whose elements know their instances.
        """
        if self.program.traits.is_flattened:
            yield self.program.component(self.program.main), ""
            return
        for instance in unfold(self.program):
            yield self.program.component(instance.component), instance.prefix

    def elements(self) -> Iterator[ElementInstance]:
        """Yield the elements of the design in all their instances."""
        known = roles(self.program)
        for component, prefix in self.components():
            for element in component.elements:
                if known[element.id] is Role.DESIGN:
                    instance = element.instance or prefix
                    yield ElementInstance(element, component.name, instance)

    def conditionals(self) -> Iterator[Conditional]:
        """Yield the conditionals of the design, in source order."""
        for place in self.elements():
            yield from conditionals(place, self.is_written(place.element.id))

    def occurrences(self) -> Iterator[tuple[ElementInstance, Occurring]]:
        """Yield the subterms of the design that are written, with the condition of each."""
        for place in self.elements():
            for one in occurring(place, self.is_written(place.element.id)):
                if self.quote(place.element.id, one.path):
                    yield place, one

    def is_written(self, element: ElementId) -> IsWritten:
        """Return a predicate: whether all arguments of a subterm of an element are in the text."""

        def is_written(path: Path, term: Term) -> bool:
            return all(self.quote(element, (*path, number)) for number in range(len(term.args)))

        return is_written

    def quoted(self, element: ElementId, path: Path, otherwise: str) -> str:
        """Return the text of a subterm in backquotes on one line, shortened if it is long."""
        text = " ".join(self.quote(element, path).split())
        if not text:
            return otherwise
        if len(text) > LONGEST_QUOTE:
            text = f"{text[: LONGEST_QUOTE - 1]}…"
        return f"`{text}`"

    def shown(self, value: Value, sort: Sort | None = None) -> str:
        """Return a value as the language writes it."""
        return self.program.traits.show(value, sort)

    def printed(self, term: Term) -> str:
        """Return a term as the language writes it, in backquotes."""
        text = self.print_term(term)
        return f"`{text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + '…'}`"

    def variables(self, *, whole: bool = False) -> Iterator[ScalarVariable]:
        """Yield the declared variables of all instances, arrays by elements or as a `whole`.

        What only states properties is left out.
        """
        known = roles(self.program)
        stating = {
            (component.name, target)
            for component in self.program.components
            for element in component.elements
            if known[element.id] is Role.SPECIFICATION
            for target in element.targets
        }
        for component, prefix in self.components():
            for variable in component.variables:
                declaration = self.place(component.name, variable.name)
                if declaration is None or variable.kind is VariableKind.DEFINE:
                    continue
                place, text = declaration
                local = "".join(text.split())
                if not variable.name.endswith(local) or (component.name, variable.name) in stating:
                    continue  # a specification, or the choice of a process
                instance = prefix or variable.name.removesuffix(local).removesuffix(".")
                leaves = (("", variable.sort),) if whole else sorts.leaves(variable.sort)
                for suffix, sort in leaves:
                    term = terms.var(variable.name, variable.sort)
                    for index in _indices(suffix) or ():
                        term = _element_at(term, index)
                    if _indices(suffix) is not None:
                        yield ScalarVariable(
                            component.name,
                            variable.name,
                            suffix,
                            local + suffix,
                            variable.kind,
                            sort,
                            term,
                            place,
                            instance,
                            prefix + variable.name + suffix,
                        )

    def leaf(self, target: str) -> tuple[Term, Sort] | None:
        """Return a scalar variable of the main component, or an array element such as `a[0]`."""
        known = self._sorts
        name, indices = target, list[int]()
        while name not in known and name.endswith("]"):
            name, _, index = name[:-1].rpartition("[")
            indices.insert(0, int(index))
        if name not in known:
            return None
        return element_of(name, known[name], indices)

    def uses(self, component: str) -> VariableUses:
        """Return who reads which variable of a component."""
        if component not in self._uses:
            self._uses[component] = VariableUses(self.program.component(component))
        return self._uses[component]

    @cached_property
    def _uses(self) -> dict[str, VariableUses]:
        return {}

    @cached_property
    def _sorts(self) -> Mapping[str, Sort]:
        component = self.program.component(self.program.main)
        return {variable.name: variable.sort for variable in component.variables}


def element_of(name: str, sort: Sort, indices: Iterable[int]) -> tuple[Term, Sort]:
    """Return the part of a variable at some indices, and its declared sort."""
    term = terms.var(name, sort)
    for index in indices:
        assert isinstance(sort, sorts.ArraySort)
        sort = sort.element
        term = _element_at(term, index)
    return term, sort


def _element_at(array: Term, index: int) -> Term:
    assert isinstance(array.sort, sorts.ArraySort)
    element = sorts.widened(array.sort.element)
    return terms.make(Op.INDEX, element, (array, terms.int_(index)))


def _indices(suffix: str) -> list[int] | None:
    """Return the indices in a suffix such as `[0][1]`; None if it names a field of a record."""
    parts = suffix.removeprefix("[").removesuffix("]").split("][") if suffix else []
    try:
        return [int(part) for part in parts]
    except ValueError:
        return None


def domain(sort: Sort) -> tuple[Value, ...] | None:
    """Return all values of a finite scalar sort in order; None if there are too many."""
    match sort:
        case sorts.WordSort(width, signed) if width <= 16:
            low = -(1 << (width - 1)) if signed else 0
            return tuple(range(low, low + (1 << width)))
        case sorts.IntSort(low, high) if low is not None and high is not None:
            return tuple(range(low, high + 1)) if high - low < 1 << 16 else None
        case _:
            return sorts.domain(sort)
