"""Executions that the product found, run on the text by the second evaluator.

Names of instances and memories are the product's; places in the text tell which is which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mutproof.model import sorts, terms
from mutproof.model.evaluator import Evaluator
from mutproof.model.instances import Instance, child_prefix
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.passes.division import BY_ZERO
from mutproof.model.program import Element, Program
from mutproof.model.terms import Site, Term
from mutproof.model.trace import Choices
from support.tree_lustre import Memory, Path, Place, Places, Scalar, part
from support.tree_lustre_run import Run
from support.tree_lustre_text import ModelText, Type

_DIVISIONS = {"div": BY_ZERO[Op.DIV], "mod": BY_ZERO[Op.MOD], "/": BY_ZERO[Op.REAL_DIV]}

Changed = tuple[Program, Mapping[Element, Term | None]]


@dataclass(frozen=True, slots=True)
class Spot:
    """Locate a subterm of an element in an instance of the product."""

    instance: Instance
    element: Element
    term: Term


@dataclass
class Names:
    """Match the product's instances with places of the second evaluator."""

    evaluator: Evaluator
    of: dict[str, Place] = field(default_factory=dict)  # by the prefix of the instance
    instances: dict[str, list[Instance]] = field(default_factory=dict)  # by the place's name
    spots: dict[tuple[str, int, int], list[Spot]] = field(default_factory=dict)
    pres: dict[tuple[str, int, int], list[Spot]] = field(default_factory=dict)  # by their operand


def names(elaborated: Elaborated, places: Places, program: Program | None = None) -> Names:
    """Return which instance is which place.

    A `program` with other bodies stands for the one of the text: that names what is in assertions
    after what they say.
    """
    assert elaborated.program is not None
    found = Names(Evaluator(program or elaborated.program))
    found.of[""] = places.main
    for instance in found.evaluator.layout.instances:
        if instance.prefix in found.of:
            _match(elaborated, found, instance, found.of[instance.prefix])
    return found


def _match(elaborated: Elaborated, found: Names, instance: Instance, place: Place) -> None:
    """Find the terms of an instance in the text, and the places that its calls make."""
    assert elaborated.program is not None
    found.instances.setdefault(place.name, []).append(instance)
    made = {
        (call.start, call.end): callee
        for tree, callee in place.calls.items()
        for call in [tree if tree.kind == "call" else tree.args[1]]
    }
    meant = found.evaluator.layout.program.component(instance.component).elements
    read = elaborated.program.component(instance.component).elements
    for element, said in zip(meant, read, strict=True):
        located = elaborated.provenance.elements[said.id]
        for path in located.terms:
            where = located.place(path)
            assert where is not None
            try:
                term = terms.at(element.body, path)
            except IndexError:  # a negative number is a negation where it is read
                continue
            key = (where.whole.start, where.whole.end)
            spot = Spot(instance, element, term)
            found.spots.setdefault((place.name, *key), []).append(spot)
            if term.op is Op.PRE and (operand := located.place((*path, 0))) is not None:
                span = operand.whole.start, operand.whole.end
                found.pres.setdefault((place.name, *span), []).append(spot)
            if term.op is Op.CALL and key in made:
                assert isinstance(term.payload, Site)
                found.of[child_prefix(instance.prefix, element, term.payload)] = made[key]


class Replayed:
    """Give what the product chose for an execution."""

    guesses = False

    def __init__(
        self,
        found: Names,
        choices: Choices,
        loops: Sequence[Mapping[str, Any]],
        changed: Changed | None,
    ) -> None:
        self.found = found
        self.choices = choices
        self.loops = loops
        evaluator, bodies = found.evaluator, {}
        if changed is not None:
            evaluator, bodies = Evaluator(changed[0]), dict(changed[1])
        self.beginning = evaluator.layout.beginnings.of(evaluator.layout.sharing.under(bodies))

    def free(self, place: Place, name: str, path: Path, step: int, kind: Type) -> Scalar:
        """Return an input, or what a removed equation leaves open."""
        known = self.beginning.chosen_name(self.found.instances[place.name][0].prefix + name)
        row = self.choices.steps[step]
        return _scalar(row.get(known + suffix(place.types[name], path), default(kind)))

    def memory(self, what: Memory, kind: Type) -> Scalar:
        """Return what the product's own reading says the memory is."""
        place = what.place
        instance = self.found.instances[place.name][0]
        beginning = self.beginning
        if what.what == "variable":
            component = self.found.evaluator.layout.program.component(instance.component)
            element = component.elements[0]
            declared = component.variable(what.name)
            term = terms.var(declared.name, declared.sort)
            value = beginning.value(instance, element, _pre(term), self.choices)
            return _scalar(inside(value, place.types[what.name], what.path))
        assert what.tree is not None
        known = self.found.pres if what.what == "operand" else self.found.spots
        spots = known.get((place.name, what.tree.start, what.tree.end), ())
        for spot in spots:
            pre = spot.term if what.what == "operand" else _pre(spot.term)
            value = beginning.value(spot.instance, spot.element, pre, self.choices)
            return _scalar(_leaf(spot.term.sort, value, self._path(what)))
        return default(kind)

    def _path(self, what: Memory) -> Path:
        if what.what == "call":
            assert what.tree is not None
            outputs = what.place.calls[what.tree].node.outputs
            if len(outputs) > 1:
                return ([name for name, _ in outputs].index(what.name), *what.path)
        return what.path

    def function(self, name: str, path: Path, args: tuple[Scalar, ...], kind: Type) -> Scalar:
        """Return what the product's tables say."""
        function = self.choices.functions
        if name in _DIVISIONS:
            table = function.get((_DIVISIONS[name], 0))
        else:
            declared = next(
                f for f in self.found.evaluator.layout.program.functions if f.name == name
            ).outputs[path[0]]
            table = function.get((name + _suffix_of(declared, path[1:]), path[0]))
        return default(kind) if table is None else _scalar(table(args))

    def looped(self, place: Place, name: str, path: Path, step: int) -> Scalar:
        """Return what the product's execution gives a variable; where it does not run, chose."""
        prefix = self.found.instances[place.name][0].prefix
        kind = part(place.types[name], path)
        full = prefix + name + suffix(place.types[name], path)
        shown = self.loops[step] if self.loops else {}
        return _scalar(shown[full]) if full in shown else self.free(place, name, path, step, kind)

    def is_free(self, place: Place, name: str) -> bool:
        """Tell whether the product takes a variable as part of a loop."""
        component = self.found.instances[place.name][0].component
        elements = self.found.evaluator.layout.program.component(component).elements
        return any(element.circular and name in element.targets for element in elements)


def _pre(operand: Term) -> Term:
    return terms.make(Op.PRE, operand.sort, (operand,))


def replayed(
    model: ModelText,
    elaborated: Elaborated,
    choices: Choices,
    loops: Sequence[Mapping[str, Any]] = (),
    program: Program | None = None,
    changed: Changed | None = None,
) -> tuple[Run, Names]:
    """Return an execution of a text under choices of the product, and which instance is what.

    `loops` are the values of an execution, for variables that depend on themselves. Where
    the text is a mutant, `changed` is the program that was mutated, and the other bodies.
    """
    places = Places(model)
    found = names(elaborated, places, program)
    run = Run(model, Replayed(found, choices, loops, changed), places)
    return run, found


# --- parts of values ------------------------------------------------------------------------------


def suffix(kind: Type, path: Path) -> str:
    """Return how the product writes a path into a value of a type."""
    written = ""
    for step in path:
        match kind:
            case ("array", _, of):
                written, kind = f"{written}[{step}]", of
            case ("record", fields):
                written, kind = f"{written}.{step}", dict(fields)[step]
            case _:
                raise KeyError(path)
    return written


def _suffix_of(sort: sorts.Sort, path: Path) -> str:
    written = ""
    for step in path:
        match sort:
            case sorts.ArraySort(_, _, of):
                written, sort = f"{written}[{step}]", of
            case sorts.RecordSort(_, fields):
                written, sort = f"{written}.{step}", dict(fields)[step]
    return written


def inside(value: Any, kind: Type, path: Path) -> Any:
    """Return the part of a value of the product at a path."""
    for step in path:
        match kind:
            case ("array", _, of):
                value, kind = value[step], of
            case ("record", fields):
                index = [name for name, _ in fields].index(step)
                value, kind = value[index], fields[index][1]
            case _:
                raise KeyError(path)
    return value


def _leaf(sort: sorts.Sort, value: Any, path: Path) -> Any:
    for step in path:
        match sort:
            case sorts.RecordSort(_, fields):
                index = [name for name, _ in fields].index(step)
                value, sort = value[index], fields[index][1]
            case sorts.ArraySort(_, _, of):
                value, sort = value[step], of
            case sorts.TupleSort(parts):
                value, sort = value[step], parts[step]
    return value


def default(kind: Type) -> Scalar:
    """Return the value that the product takes where it chose none."""
    match kind:
        case ("bool",):
            return False
        case ("range", low, high):
            return int(min(max(0, low), high))
        case ("enum", values):
            return str(values[0])
        case _:
            return 0


def _scalar(value: Any) -> Scalar:
    found: Scalar = value
    return found
