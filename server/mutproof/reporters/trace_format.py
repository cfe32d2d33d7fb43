"""What a trace format is: the record that every format defines once, and its input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction

from mutproof.base.record import dataclass
from mutproof.model import sorts, walk
from mutproof.model.program import Component, ElementKind, Program, VariableKind
from mutproof.model.sorts import Sort, Value
from mutproof.model.trace import Trace
from mutproof.model.traits import Semantics, Traits


@dataclass(frozen=True)
class ExportedTrace:
    """Hold a trace for programs that do not have the model.

    `names` are the variables in the order in which to show them; `inputs` are those whose
    values lead from a state to the next, and what depends on such only, `mixed` what depends on
    such and on states. A step may lack
    values. `loop` is the 0-based step that follows the last one, None if none does. `words` are
    the sorts of the variables that are words, by name.
    """

    title: str
    traits: Traits
    names: tuple[str, ...]
    inputs: frozenset[str]
    mixed: frozenset[str]
    steps: Sequence[Mapping[str, Value]]
    loop: int | None
    words: Mapping[str, Sort] = field(default_factory=dict)

    def constant(self, name: str, step: int) -> str:
        """Return the value of a variable at a step as the language writes constants."""
        value, sort = self.steps[step][name], self.words.get(name)
        return exact(value, self.traits) if sort is None else self.traits.show(value, sort)


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """Describe a format: its name is the suffix of its files, too."""

    name: str
    write: Callable[[ExportedTrace], str]


def exported(
    trace: Trace, program: Program, title: str, first: tuple[str, ...] = ()
) -> ExportedTrace:
    """Return a trace of a program for export; the variables `first` come first."""
    found = {name for step in trace.steps for name in step}
    names = dict.fromkeys(name for name in first if name in found)
    names.update(dict.fromkeys(sorted(found)))
    inputs: frozenset[str] = frozenset()
    mixed: frozenset[str] = frozenset()
    words: dict[str, Sort] = {}
    if program.traits.semantics is Semantics.RELATIONAL:
        main = program.component(program.main)
        declared = frozenset(v.name for v in main.of_kind(VariableKind.INPUT))
        reading, reading_only = _reading(main, declared)
        inputs = frozenset(name for name in names if _whole(name) in declared | reading_only)
        mixed = frozenset(name for name in names if _whole(name) in reading) - inputs
        words = {
            variable.name + suffix: sort
            for variable in main.variables
            for suffix, sort in sorts.leaves(variable.sort)
            if isinstance(sort, sorts.WordSort)
        }
    return ExportedTrace(
        title, program.traits, tuple(names), inputs, mixed, trace.steps, trace.loop, words
    )


def beside(model: ExportedTrace, mutant: ExportedTrace) -> ExportedTrace:
    """Return two traces as one: names begin with `model.` and `mutant.`.

    There is a loop only if both return to the same step.
    """
    both = (("model", model), ("mutant", mutant))
    steps: list[dict[str, Value]] = []
    for number in range(max(len(model.steps), len(mutant.steps))):
        values: dict[str, Value] = {}
        for side, trace in both:
            if number < len(trace.steps):
                values |= {f"{side}.{name}": found for name, found in trace.steps[number].items()}
        steps.append(values)
    named = dict.fromkeys((*model.names, *mutant.names))
    present = {name for step in steps for name in step}
    names = [f"{side}.{name}" for name in named for side, _ in both]
    loop = model.loop if model.loop == mutant.loop else None
    return replace(
        model,
        names=tuple(name for name in names if name in present),
        inputs=frozenset(),
        mixed=frozenset(),
        steps=tuple(steps),
        loop=loop,
        words={f"{side}.{name}": sort for side, one in both for name, sort in one.words.items()},
    )


def exact(value: Value | None, traits: Traits) -> str:
    """Return a value in the words of a language, with all its digits; nothing for None."""
    match value:
        case None:
            return ""
        case bool():
            return traits.boolean(value)
        case Fraction(numerator=numerator, denominator=1):
            return f"{numerator}.0"
        case Fraction():
            return str(value)
        case tuple():
            return "(" + ", ".join(exact(part, traits) for part in value) + ")"
        case _:
            return str(value)


def _whole(name: str) -> str:
    return name.partition("[")[0]


def _reading(main: Component, inputs: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the definitions that depend on inputs, and those that depend on nothing else."""
    definitions = [
        (element.targets[0], walk.variables(element.body))
        for element in main.elements
        if element.kind is ElementKind.DEFINE
    ]
    found: set[str] = set()
    only: set[str] = set()
    size = -1
    while size != len(found) + len(only):
        size = len(found) + len(only)
        found |= {name for name, read in definitions if not read.isdisjoint(inputs | found)}
        only |= {name for name, read in definitions if read and read <= inputs | only}
    return frozenset(found), frozenset(only)
