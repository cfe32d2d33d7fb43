"""What advice is about: a program, how its text speaks of it, and verdicts on its properties."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

from mutproof.analyses.advising.advice import Advice, AdviceStatus, Backing
from mutproof.analyses.advising.conditional import Conditional, IsWritten, conditionals
from mutproof.analyses.advising.question import Asking, ElementInstance
from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.program import Component, ElementId, Program, Role, VariableKind
from mutproof.model.roles import roles
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Path, Term

LONGEST_QUOTE = 48


@dataclass(frozen=True, slots=True)
class ScalarVariable:
    """Hold a variable of an instance, or an element of an array: the part `suffix` of it.

    It is `declared` under this name at a `place` that instances share.
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

    @property
    def leaf(self) -> str:
        """Return the name under which executions have its values."""
        return self.name + self.suffix

    def static(self, name: str, message: str | None) -> Asking:
        """Return an inquiry that asks nothing: the text of the model says it all."""
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

    def components(self) -> Iterator[Component]:
        """Yield the components whose elements are looked at."""
        yield self.program.component(self.program.main)

    def elements(self) -> Iterator[ElementInstance]:
        """Yield the elements of the design in all their instances, in source order."""
        known = roles(self.program)
        for component in self.components():
            for element in component.elements:
                if known[element.id] is Role.DESIGN:
                    yield ElementInstance(element, component.name, element.instance)

    def conditionals(self) -> Iterator[Conditional]:
        """Yield the conditionals of the design, in source order."""
        for place in self.elements():
            yield from conditionals(place, self.is_written(place.element.id))

    def is_written(self, element: ElementId) -> IsWritten:
        """Return what tells of subterms of an element whether their parts are in the text."""

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
        """Yield the declared variables of all instances, arrays by elements or as a `whole`."""
        for component in self.components():
            for variable in component.variables:
                declaration = self.place(component.name, variable.name)
                if declaration is None or variable.kind is VariableKind.DEFINE:
                    continue
                place, text = declaration
                local = "".join(text.split())
                if not variable.name.endswith(local):
                    continue  # it stands for something else, such as which process runs
                instance = variable.name.removesuffix(local).removesuffix(".")
                leaves = (("", variable.sort),) if whole else sorts.leaves(variable.sort)
                for suffix, sort in leaves:
                    leaf = self.leaf(variable.name + suffix)
                    if leaf is not None:
                        yield ScalarVariable(
                            component.name,
                            variable.name,
                            suffix,
                            local + suffix,
                            variable.kind,
                            sort,
                            leaf[0],
                            place,
                            instance,
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
        at = terms.int_(index)
        term = terms.make(Op.INDEX, sorts.widened(sort), (term, at))
    return term, sort


def domain(sort: Sort) -> tuple[Value, ...] | None:
    """Return all values of a finite scalar sort in order; None if they are not that few."""
    match sort:
        case sorts.WordSort(width, signed) if width <= 16:
            low = -(1 << (width - 1)) if signed else 0
            return tuple(range(low, low + (1 << width)))
        case sorts.IntSort(low, high) if low is not None and high is not None:
            return tuple(range(low, high + 1)) if high - low < 1 << 16 else None
        case _:
            return sorts.domain(sort)
