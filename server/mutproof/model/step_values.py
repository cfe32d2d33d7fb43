"""Values of the subterms of bodies in one step of an execution, from those of variables."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Any

from mutproof.base.record import dataclass
from mutproof.model import semantics
from mutproof.model.arbitrary import Beginning, timeless
from mutproof.model.code import Entries
from mutproof.model.instances import Instance
from mutproof.model.layout import site_of
from mutproof.model.operators import Op
from mutproof.model.sorts import Value
from mutproof.model.spot import Spot
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

MISSING: Any = object()
"""The value of a subterm that was not computed yet."""


class Undefined(Exception):  # noqa: N818 - control flow of an execution
    """Say that a variable has no value yet."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True, slots=True)
class ShownStep:
    """Hold what a step of an execution shows.

    `values` are the flat scalar variables of the instances that run, `violated` the properties that
    are false, in order; `allowed` tells that the restrictions of the program hold. With `brief`,
    some values are missing.
    """

    values: Mapping[str, Value]
    violated: Sequence[str]
    allowed: bool
    brief: bool = False


@dataclass(frozen=True, slots=True)
class WholeStep:
    """Hold all values of a step of an execution, with what the next step needs of it.

    `now` has the variables, `values` and `last` the subterms of bodies that remember any, by place;
    `last` those that `pre` reads next. `active` are the prefixes of the instances that run in this
    step, `ran` of those that ran so far, `held` the outputs that condacts hold after it. `failing`
    are the places of restrictions that do not hold. `whole`: at the first step, the instances that
    do not run have values, too.
    """

    outcome: ShownStep
    now: Mapping[str, Any]
    values: Mapping[int, list[Any]]
    last: Mapping[int, list[Any] | None]
    active: AbstractSet[str]
    ran: AbstractSet[str]
    held: Mapping[str, Any]
    failing: AbstractSet[int]
    whole: bool


class StepValues:
    """Compute subterms in a step from the variables in `now`; `runs` tells which instances run."""

    def __init__(self, beginning: Beginning, choices: Choices) -> None:
        self.choices = choices
        self.now: MutableMapping[str, Any] = {}
        self.ran: AbstractSet[str] = frozenset()  # prefixes of instances that ran before
        self.held: dict[str, Any] = {}
        self.step = 0
        self.holding: dict[str, dict[str, Any]] = {}  # new values of `held`, by instance
        self._beginning = beginning

    def runs(self, prefix: str) -> bool:
        """Tell whether an instance runs."""
        raise NotImplementedError

    def fill(self, spot: Spot, entries: Entries) -> None:
        """Compute the entries of a body that have no value yet.

        Raises:
            Undefined: a variable has no value.
        """
        values, now, prefix = spot.values, self.now, spot.instance.prefix
        for slot, term, args, direct in entries:
            if values[slot] is not MISSING:
                continue
            if direct is not None:
                if len(args) == 2:  # no list is made for most
                    left, right = args
                    values[slot] = direct(values[left], values[right])
                else:
                    values[slot] = direct(*[values[arg] for arg in args])
                continue
            op = term.op
            if op is Op.VAR:
                name = prefix + str(term.payload)
                try:
                    values[slot] = now[name]
                except KeyError:
                    raise Undefined(name) from None
            elif op is Op.PRE:
                values[slot] = self.previous(spot, term)
            elif op is Op.CALL:
                values[slot] = self._outputs(spot, term)
            elif op is Op.ARROW:
                values[slot] = values[args[1] if prefix in self.ran else args[0]]
            elif op is Op.CONDACT:
                values[slot] = self._condact(spot, term, [values[arg] for arg in args])
            else:
                operands = tuple([values[arg] for arg in args])
                values[slot] = timeless(term, operands, self.choices.functions)

    def complete(self, spot: Spot) -> None:
        """Compute what is left of a body; calls that do not run have no values.

        Raises:
            Undefined: a variable that the body itself needs has no value.
        """
        assert spot.body is not None
        assert spot.code is not None
        if spot.values[spot.code.slots[spot.body]] is MISSING:
            self.fill(spot, spot.code.now)
        for entry in spot.code.later:
            if spot.values[entry[0]] is MISSING:
                with suppress(Undefined):
                    self.fill(spot, (entry,))

    def previous(self, spot: Spot, term: Term) -> Any:
        """Return the value of a `pre`: that of its operand when the instance last ran."""
        if spot.last is None:
            return self._beginning.value(spot.instance, spot.element, term, self.choices)
        assert spot.code is not None
        return spot.last[spot.code.slots[term.args[0]]]

    def chosen(self, name: str) -> Any:
        """Return the chosen value of a variable that nothing defines."""
        return self._beginning.chosen(self.choices.steps[self.step], name)

    def kept(
        self, spot: Spot, term: Term, clock: Any, defaults: tuple[Any, ...]
    ) -> tuple[Any, ...] | None:
        """Return what a `condact` gives where its call does not run; None where it does."""
        if clock and self.runs(spot.prefix):
            return None
        names = spot.output_names(term.args[1])
        return tuple([self.held[n] for n in names]) if self.step else defaults

    def restriction_holds(self, spot: Spot) -> bool:
        """Tell whether an assertion or a circular equation, with a value, holds."""
        assert spot.body is not None
        assert spot.code is not None
        value = spot.values[spot.code.slots[spot.body]]
        if not spot.element.circular:
            return bool(value) or bool(spot.prefix)  # assertions of called nodes restrict nothing
        known = tuple([self.now[spot.prefix + target] for target in spot.element.targets])
        return bool((known[0] if len(known) == 1 else known) == value)

    def stated(self, instance: Instance, term: Term) -> Any:
        """Return the value of a property's term, which is a variable or a part of one."""
        if term.op is Op.VAR:
            return self.now[instance.prefix + str(term.payload)]
        return semantics.apply(term, tuple(self.stated(instance, arg) for arg in term.args))

    def _outputs(self, spot: Spot, call: Term) -> Any:
        values = []
        for name in spot.output_names(call):
            try:
                values.append(self.now[name])
            except KeyError:
                raise Undefined(name) from None
        return values[0] if len(values) == 1 else tuple(values)

    def _condact(self, spot: Spot, term: Term, args: list[Any]) -> Any:
        call = term.args[1]
        parts = self.kept(spot, term, args[0], tuple(args[1:]))
        if parts is None:
            result = self._outputs(spot, call)
            parts = (result,) if len(site_of(call).outputs) == 1 else result
        named = zip(spot.output_names(call), parts, strict=True)
        self.holding.setdefault(spot.prefix, {}).update(named)
        return parts[0] if len(parts) == 1 else parts
