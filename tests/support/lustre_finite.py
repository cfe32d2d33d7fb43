"""Random small Lustre texts with few states: truth values, a range, an enumeration, instances."""

from __future__ import annotations

import random

HEADER = "type color = enum {RED, GREEN, BLUE};\n"
_KINDS = {"bool": "bool", "small": "subrange [0, 2] of int", "color": "color"}
_CONSTANTS = {"bool": ("true", "false"), "small": "012", "color": ("RED", "GREEN", "BLUE")}


class _Equations:
    def __init__(self, source: random.Random, known: dict[str, str]) -> None:
        self._source = source
        self.known = dict(known)  # the names that may be read, with their kinds
        self.remembered: dict[str, str] = dict(known)

    def of(self, kind: str, depth: int) -> str:
        """Return an expression of a kind."""
        source = self._source
        names = [name for name, own in self.known.items() if own == kind]
        choice = source.randrange(10)
        if depth == 0 or choice < 2:
            if names and source.randrange(6):
                return source.choice(names)
            return source.choice(_CONSTANTS[kind])
        if choice < 4:
            parts = (self.of("bool", depth - 1), self.of(kind, depth - 1), self.of(kind, depth - 1))
            return "(if {} then {} else {})".format(*parts)
        older = [name for name, own in self.remembered.items() if own == kind]
        if choice < 6 and older:
            behind = f"pre {source.choice(older)}" if source.randrange(4) else self.of(kind, 1)
            return f"({self.of(kind, 0)} -> {behind})"
        return self._truth(depth) if kind == "bool" else self.of(kind, depth - 1)

    def _truth(self, depth: int) -> str:
        source = self._source
        choice = source.randrange(8)
        if choice == 0:
            return f"(not {self.of('bool', depth - 1)})"
        if choice < 4:
            of = source.choice(("small", "small", "color"))
            word = source.choice(("=", "<>", "<", ">=") if of == "small" else ("=", "<>"))
            left = self.of(of, depth - 1)
            if of == "small" and source.randrange(2):
                left = f"({left} + {self.of(of, depth - 1)}) mod 3"
            return f"({left} {word} {self.of(of, depth - 1)})"
        word = source.choice(("and", "or", "=>", "xor"))
        return f"({self.of('bool', depth - 1)} {word} {self.of('bool', depth - 1)})"


def _declared(names: dict[str, str]) -> str:
    return "; ".join(f"{name} : {_KINDS[kind]}" for name, kind in names.items())


def _kinds(source: random.Random, prefix: str, most: int) -> dict[str, str]:
    return {f"{prefix}{n}": source.choice([*_KINDS]) for n in range(source.randint(1, most))}


def finite_text(source: random.Random) -> str:
    """Return a text of a main node with a property, and at times two instances of another node."""
    calls = source.choice((0, 0, 1, 2))
    inner = _kinds(source, "p", 2)
    outputs = _kinds(source, "r", 2)
    text = HEADER
    if calls:
        text += _node(source, "part", inner, outputs, [])
    made = [(n, inner, outputs) for n in range(calls)]
    return text + _node(source, "main", _kinds(source, "i", 2), {"ok": "bool"}, made)


def _node(
    source: random.Random,
    name: str,
    inputs: dict[str, str],
    outputs: dict[str, str],
    calls: list[tuple[int, dict[str, str], dict[str, str]]],
) -> str:
    equations = _Equations(source, inputs)
    own = _kinds(source, "v", 2)
    called = {f"c{n}{target}": kind for n, _, results in calls for target, kind in results.items()}
    equations.remembered |= own | called
    lines = []
    for target, kind in own.items():
        lines.append(f"  {target} = {equations.of(kind, 3)};")
        equations.known[target] = kind
    for number, formal, results in calls:
        actual = ", ".join(equations.of(kind, 1) for kind in formal.values())
        targets = [f"c{number}{target}" for target in results]
        lines.append(f"  {', '.join(targets)} = part({actual});")
        equations.known |= {target: called[target] for target in targets}
    for target, kind in outputs.items():
        lines.append(f"  {target} = {equations.of(kind, 3)};")
    if name == "main":
        lines.append("  --%PROPERTY ok;")
        if source.randrange(5) == 0:
            lines.append(f"  assert {equations.of('bool', 2)};")
    variables = f"var {_declared(own | called)};\n"
    header = f"node {name} ({_declared(inputs)}) returns ({_declared(outputs)});\n"
    return f"{header}{variables}let\n" + "\n".join(lines) + "\ntel;\n"
