"""LALR parsing with tables made in advance, without reading a grammar or importing Lark.

Tables are plain values, and are written as texts. The arguments of actions follow Lark:
tokens written in quotes are left out, a missing `[...]` is None, rules whose name begins with `_`
pass their children to the rule around them, and `?rule` with one child is replaced by it.

Source: Aho, Lam, Sethi and Ullman, Compilers, 2nd edition, algorithm 4.44.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

END: Final = "$END"
"""The name of the terminal behind the last token."""

Kept: TypeAlias = tuple[tuple[int, bool, int], ...]
"""Which children a rule keeps: its position, whether its own children take its place, and how many
missing ones stand before it."""

RuleRow: TypeAlias = tuple[str, int, str, bool, "Kept | None", int]
"""A rule: its name, its length, the name of its action, whether a single child stands for it, what
it keeps (None: all), and how many missing children stand at its end."""


class Tables(NamedTuple):
    """Hold a parser as plain values.

    `states` give for a symbol the state after it is shifted, or -1 - n to reduce by rule n.
    `starts` are the first and the last state for each start rule.
    """

    rules: tuple[RuleRow, ...]
    states: Mapping[int, Mapping[str, int]]
    starts: Mapping[str, tuple[int, int]]

    def written(self) -> str:
        """Return the tables as a text, the same for all that differ in numbers only."""
        rules = sorted(set(self.rules), key=repr)
        rule = {-1 - n: -1 - rules.index(row) for n, row in enumerate(self.rules)}
        order = {self.starts[name][0]: n for n, name in enumerate(sorted(self.starts))}
        for state in (todo := list(order)):
            for _, step in sorted(self.states[state].items()):
                if step >= 0 and step not in order:
                    order[step] = len(order)
                    todo.append(step)
        lines = [
            f"start {name} {order[first]} {order[last]}"
            for name, (first, last) in sorted(self.starts.items())
        ]
        for origin, length, action, stands, kept, missing in rules:
            children = [".".join(str(int(part)) for part in child) for child in kept or ()]
            shown = "all" if kept is None else ",".join(children) or "none"
            lines.append(f"rule {origin} {length} {action} {int(stands)} {shown} {missing}")
        for state in order:
            row = sorted(self.states[state].items())
            steps = [f"{name} {rule[n] if n < 0 else order[n]}" for name, n in row]
            lines.append(" ".join(["state", *steps]))
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def read(cls, text: str) -> Tables:
        """Return the tables that were written as a text."""
        rules: list[RuleRow] = []
        states: dict[int, dict[str, int]] = {}
        starts: dict[str, tuple[int, int]] = {}
        for line in text.splitlines():
            kind, *words = line.split(" ")
            if kind == "state":
                states[len(states)] = dict(zip(words[::2], map(int, words[1::2]), strict=True))
            elif kind == "rule":
                origin, length, action, stands, shown, missing = words
                row = origin, int(length), action, stands == "1", _kept(shown), int(missing)
                rules.append(row)
            else:
                name, first, last = words
                starts[name] = int(first), int(last)
        return cls(tuple(rules), states, starts)


class Branch:
    """Hold the children of a rule that has no action, to take its place."""

    __slots__ = ("children",)

    def __init__(self, children: list[Any]) -> None:
        self.children = children


class UnfittingError(Exception):
    """Tell that a token fits no rule: the token, None for the end, and what would have fitted."""

    def __init__(self, token: Any, accepted: frozenset[str]) -> None:
        super().__init__(token, accepted)
        self.token = token
        self.accepted = accepted


class Parser:
    """Parse runs of tokens; actions are the methods of a builder, named in the tables."""

    def __init__(self, tables: Tables, builder: object) -> None:
        self._states = tables.states
        self._starts = tables.starts
        self._names = [(row[0], row[1]) for row in tables.rules]
        self._actions = [_action(row, builder) for row in tables.rules]

    def parse(self, start: str, tokens: Iterable[Any]) -> Any:
        """Return what the actions make of tokens, each with a `type`.

        Raises:
            UnfittingError: they fit no rule.
        """
        states, names, actions = self._states, self._names, self._actions
        first, last = self._starts[start]
        path: list[int] = [first]
        values: list[Any] = []
        for token in tokens:
            kind = token.type
            while (found := states[path[-1]].get(kind)) is not None and found < 0:
                name, size = names[-1 - found]
                children = values[len(values) - size :]
                del path[len(path) - size :], values[len(values) - size :]
                values.append(actions[-1 - found](children))
                path.append(states[path[-1]][name])
            if found is None:
                raise UnfittingError(token, self._accepted(path, last))
            path.append(found)
            values.append(token)
        while path[-1] != last:
            found = states[path[-1]].get(END)
            if found is None or found >= 0:
                raise UnfittingError(None, self._accepted(path, last))
            name, size = names[-1 - found]
            children = values[len(values) - size :]
            del path[len(path) - size :], values[len(values) - size :]
            values.append(actions[-1 - found](children))
            path.append(states[path[-1]][name])
        return values[-1]

    def _accepted(self, path: Sequence[int], last: int) -> frozenset[str]:
        """Return the terminals that can follow the input that led to the states `path`.

        An LALR table may reduce on a token that is an error afterwards; such ones are left out.
        """
        row = self._states[path[-1]]
        terminals = [symbol for symbol in row if symbol.isupper()]
        fitting = frozenset(symbol for symbol in terminals if self._fits([*path], symbol, last))
        return fitting or frozenset(terminals)

    def _fits(self, path: list[int], symbol: str, last: int) -> bool:
        while (found := self._states[path[-1]].get(symbol)) is not None and found < 0:
            name, size = self._names[-1 - found]
            del path[len(path) - size :]
            path.append(self._states[path[-1]][name])
            if symbol == END and path[-1] == last:
                return True
        return found is not None


def _kept(shown: str) -> Kept | None:
    """Return which children a rule keeps, from how that is written."""
    if shown in {"all", "none"}:
        return None if shown == "all" else ()
    found = [child.split(".") for child in shown.split(",")]
    return tuple([(int(place), inlined == "1", int(before)) for place, inlined, before in found])


def _action(row: RuleRow, builder: object) -> Callable[[list[Any]], Any]:
    """Return the function that builds the value of a rule from its children."""
    _, _, name, stands, kept, missing = row
    made: Callable[[list[Any]], Any] = getattr(builder, name, Branch)
    build = made
    if stands:

        def build(children: list[Any]) -> Any:
            return children[0] if len(children) == 1 else made(children)

    if kept is None:
        return build
    if len(kept) == 1 and kept[0][1] and not (kept[0][2] or missing):
        only = kept[0][0]
        if build is Branch:
            return lambda children: children[only]
        return lambda children: build(children[only].children)
    if not missing and not any(inlined or before for _, inlined, before in kept):
        places = [place for place, _, _ in kept]
        return lambda children: build([children[place] for place in places])

    def filtered(children: list[Any]) -> Any:
        found: list[Any] = []
        for place, inlined, before in kept:
            if before:
                found += [None] * before
            if not inlined:
                found.append(children[place])
            elif found:
                found += children[place].children
            else:  # not copied: the list grows with each repetition
                found = children[place].children
        if missing:
            found += [None] * missing
        return build(found)

    return filtered
