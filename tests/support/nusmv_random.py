"""Random NuSMV texts: small enough to try all states, of every construct that has few values.

What is written is accepted by NuSMV: values stay in their ranges, inputs where they may stand,
and what defines variables goes by their order.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

_ODD = ("x$1", "_a", "x-y", "a#b", "S0", "x.y", "k[0]", "z.y[1]", "k[-1].z", "next_", "b-1", "q$")
_TYPES = {
    "bool": ("boolean",),
    "int": ("0..2", "{0, 1, 2}", "{2, 0, 1}"),
    "negative": ("-2..1", "{1, -1, 0, -2}"),
    "color": ("{red, green, blue}",),
    "mixed": ("{red, 1, 2}", "{2, red, 1}"),
    "word": ("word[2]", "unsigned word[2]"),
    "signed": ("signed word[2]",),
}
_LITERALS = {
    "bool": ("TRUE", "FALSE"),
    "int": ("0", "1", "2", "(-1 + 1)"),
    "negative": ("-2", "-1", "0", "1"),
    "color": ("red", "green", "blue"),
    "mixed": ("red", "1", "2"),
    "word": ("0ud2_0", "0b2_01", "0ud2_3", "uwconst(2, 2)"),
    "signed": ("0sd2_0", "-0sd2_1", "-0sd2_2", "0sb2_01", "swconst(-1, 2)"),
}
_OPERATIONS = {
    "bool": (
        "({bool} & {bool})",
        "({bool} | {bool})",
        "({bool} xor {bool})",
        "({bool} xnor {bool})",
        "({bool} -> {bool})",
        "({bool} <-> {bool})",
        "({bool} = {bool})",
        "!({bool})",
        "!({bool})",
        "({int} < {int})",
        "({int} = {int})",
        "({int} != {negative})",
        "({negative} <= {int})",
        "({int} in 0..1)",
        "({negative} in -2..-1)",
        "({negative} in {{-1, {negative}}})",
        "({int} in {{0, {int}}} union {int})",
        "({color} = {color})",
        "({color} in {{red, {color}}})",
        "({mixed} in {{1, red}})",
        "({given} = {int})",
        "({given} != {mixed})",
        "({word} > {word})",
        "({word} != {word})",
        "({signed} >= {signed})",
        "({word}[1:1] = 0ub1_1)",
        "bool(word1({bool}))",
        "bool({int})",
        "(count({bool}, {bool}, {bool}) > {int})",
        "({word} :: {signed} > 0ud4_5)",
        "({int} = 0 | 2 / {nonzero} > {int})",
    ),
    "int": (
        "(({int} + {int}) mod 3)",
        "(({int} * {int}) mod 3)",
        "min({int}, {int})",
        "max({int}, {negative} + 1)",
        "count({bool}, {bool})",
        "abs({int} - {int})",
        "abs({negative})",
        "({int} / 2)",
        "({int} / max(1, {int}))",
        "(toint({word}) mod 3)",
        "toint({bool})",
    ),
    "negative": (
        "({int} - 2)",
        "max(-2, min(1, {negative} + {negative}))",
        "max(-2, min(1, {int} * {negative}))",
        "-abs({negative})",
        "(({negative} * 3) mod 2)",
        "({negative} / 2)",
        "toint({signed})",
    ),
    "color": (),
    "mixed": (),
    "word": (
        "({word} + {word})",
        "({word} - {word})",
        "({word} * {word})",
        "({word} & {word})",
        "({word} | {word})",
        "({word} xor {word})",
        "({word} -> {word})",
        "({word} xnor {word})",
        "!({word})",
        "-({word})",
        "({word} << {int})",
        "({word} >> 1)",
        "({word} / max({word}, 0ud2_1))",
        "({word} mod max({word}, 0ud2_1))",
        "unsigned({signed})",
        "(word1({bool}) :: word1({bool}))",
        "({word} :: {signed})[2:1]",
        "{signed}[1:0]",
        "extend(word1({bool}), 1)",
        "resize({word} :: {word}, 2)",
    ),
    "signed": (
        "({signed} + {signed})",
        "({signed} * {signed})",
        "-({signed})",
        "({signed} >> {int})",
        "({signed} << 1)",
        "({signed} & {signed})",
        "signed({word})",
        "resize(extend({signed}, 1), 2)",
        "resize(signed({word} :: {word}), 2)",
        "({signed} / 0sd2_1)",
        "({signed} mod -0sd2_2)",
    ),
}
_NONZERO = ("max(1, {int})", "(1 + {int})", "case {int} > 0 : 2; TRUE : -1; esac")
_LINEAR = (
    "G ({p})",
    "F ({p})",
    "X ({p})",
    "G (({a}) -> F ({p}))",
    "(({p}) U ({q}))",
    "(({p}) V ({q}))",
    "(({p}) & ({q}))",
    "(({p}) -> ({q}))",
    "!({p})",
    "Y ({p})",
    "Z ({p})",
    "O ({p})",
    "H ({p})",
    "(({p}) S ({q}))",
    "(({p}) T ({q}))",
    "F [1, 2] ({p})",
    "G [0, 1] ({p})",
    "O [0, 2] ({p})",
    "H [1, 1] ({p})",
    "G F ({p})",
)
_BRANCHING = (
    "AG ({p})",
    "EF ({p})",
    "AF ({p})",
    "EG ({p})",
    "EX ({p})",
    "AX ({p})",
    "A [ {p} U {q} ]",
    "E [ {p} U {q} ]",
    "(({p}) -> ({q}))",
    "!({p})",
    "(({p}) | ({q}))",
    "AG (({a}) -> EF ({p}))",
    "EBF 0..2 ({p})",
    "ABG 1..2 ({p})",
    "EBG 0..1 ({p})",
    "ABF 1..2 ({p})",
    "A [ {p} BU 1..2 {q} ]",
    "E [ {p} BU 0..1 {q} ]",
)


@dataclass(frozen=True, slots=True)
class Known:
    """Hold what can stand in an expression: of which kind, whether inputs are in it.

    What defines a variable reads only variables of a lower `rank` (None: no variable).
    """

    text: str
    kind: str
    free: bool = True
    rank: int | None = None


@dataclass
class Writer:
    """Write expressions: `inputs` tells whether these may read inputs, `below` which variables.

    `later` is the rank below which values of the next state may be read (0: of none).
    """

    source: random.Random
    known: list[Known] = field(default_factory=list)
    inputs: bool = True
    below: int | None = None
    later: int = 0
    read: bool = False

    def name(self, kind: str) -> str | None:
        """Return something that is known, or its value in the next state."""
        fitting = [
            known
            for known in self.known
            if known.kind == kind
            and (self.inputs or known.free)
            and (self.below is None or (known.rank is not None and known.rank < self.below))
        ]
        if not fitting:
            return None
        chosen = self.source.choice(fitting)
        ahead = chosen.free and chosen.rank is not None and chosen.rank < self.later
        if ahead and self.source.randrange(3) == 0:
            return f"next({chosen.text})"
        self.read |= not chosen.free
        return chosen.text

    def of(self, kind: str, depth: int) -> str:
        """Return an expression of a kind."""
        roll = self.source.randrange(9)
        if depth == 0 or roll < 2:
            name = None if self.source.randrange(6) == 0 else self.name(kind)
            return name or self.source.choice(_LITERALS[kind])
        if roll < 4 or not _OPERATIONS[kind]:
            return self._choice(self.of, kind, depth)
        return self.filled(self.source.choice(_OPERATIONS[kind]), depth - 1)

    def filled(self, form: str, depth: int) -> str:
        """Return a form with expressions in its gaps."""
        found = form
        for kind in _TYPES:
            while f"{{{kind}}}" in found:
                found = found.replace(f"{{{kind}}}", self.of(kind, depth), 1)
        while "{nonzero}" in found:
            other = self.filled(self.source.choice(_NONZERO), 0)
            found = found.replace("{nonzero}", other, 1)
        while "{given}" in found:
            found = found.replace("{given}", self._declared_mixed(), 1)
        return found.replace("{{", "{").replace("}}", "}")

    def _declared_mixed(self) -> str:
        """Return what may be a symbol or a number by its type, whatever value it has."""
        usable = [
            known
            for known in self.known
            if known.kind == "mixed" and known.rank is not None and (self.inputs or known.free)
        ]
        if not usable or self.below is not None or self.later or self.source.randrange(3) == 0:
            return "(TRUE ? red : 1)"
        chosen = self.source.choice(usable)
        self.read |= not chosen.free
        return chosen.text

    def _choice(self, of: Callable[[str, int], str], kind: str, depth: int) -> str:
        left, right = of(kind, depth - 1), of(kind, depth - 1)
        form = self.source.randrange(4)
        if form == 0:
            return f"({self.of('bool', depth - 1)} ? {left} : {right})"
        if form == 1:
            number = self.of("int", 0)
            return f"case {number} = 0 : {left}; {number} > 0 : {right}; esac"
        condition = self.of("bool", depth - 1)
        otherwise = "TRUE" if form == 2 else f"!({condition})"
        return f"case {condition} : {left}; {otherwise} : {right}; esac"

    def several(self, kind: str, depth: int) -> str:
        """Return an expression that may have several values."""
        if kind in {"word", "signed"} or self.source.randrange(3):
            return self.of(kind, depth)
        form = self.source.randrange(5)
        if form == 0 and depth:
            return self._choice(self.several, kind, depth)
        if form == 1 and kind == "int":
            return "0..1"
        if form == 2:
            return f"{self.of(kind, 0)} union {self.of(kind, 0)}"
        return f"{{{self.of(kind, depth)}, {self.of(kind, 0)}}}"

    def temporal(self, forms: tuple[str, ...], depth: int) -> str:
        """Return a formula over short expressions."""
        if depth == 0:
            return self.of("bool", 1)
        p, q = (self.temporal(forms, depth - 1) for _ in range(2))
        return self.source.choice(forms).format(p=p, q=q, a=self.of("bool", 0))


@dataclass(frozen=True, slots=True)
class _Variable:
    storage: str
    name: str
    kind: str
    type: str
    cells: tuple[str, ...]


class _Module:
    """Write one module: its variables, what defines them, and what is stated of them."""

    def __init__(self, source: random.Random, odd: list[str], name: str) -> None:
        self.source = source
        self.odd = odd
        self.name = name
        self.writer = Writer(source)
        self.parameters: list[Known] = []
        self.variables: list[_Variable] = []
        self.instances: list[str] = []
        self.lines: list[str] = []

    def parameter(self, number: int) -> None:
        """Add a parameter, which may stand for inputs."""
        kind = self.source.choice([*_TYPES])
        found = Known(f"p{number}", kind, free=self.source.randrange(3) > 0)
        self.parameters.append(found)
        self.writer.known.append(found)

    def variable(self, number: int) -> None:
        """Add a variable or an array."""
        kind = self.source.choice(["bool", *_TYPES])
        name = self.odd.pop() if self.odd else f"v{number}"
        storage = self.source.choice(("VAR", "VAR", "VAR", "VAR", "FROZENVAR", "IVAR"))
        type_ = self.source.choice(_TYPES[kind])
        rank = len(self.variables)
        free = storage != "IVAR"
        cells: tuple[str, ...] = (name,)
        if self.source.randrange(6) == 0:
            low = self.source.choice((0, -1))
            type_ = f"array {low}..{low + 1} of {type_}"
            cells = (f"{name}[{low}]", f"{name}[{low + 1}]")
            chosen = f"{name}[{'' if low == 0 else '-'}toint({self.writer.of('bool', 0)})]"
            self.writer.known.append(Known(chosen, kind, free=False))
        self.variables.append(_Variable(storage, name, kind, type_, cells))
        self.writer.known += [Known(cell, kind, free, rank) for cell in cells]

    def instance(self, number: int, inner: _Module, *, process: bool) -> None:
        """Add an instance of another module, whose variables can be read."""
        actuals = []
        for parameter in inner.parameters:
            self.writer.inputs = not parameter.free
            actuals.append(self.writer.of(parameter.kind, 1))
            self.writer.inputs = True
        name = f"u{number}"
        of = f"{inner.name}({', '.join(actuals)})" if actuals else inner.name
        self.instances.append(f"  {name} : {'process ' * process}{of};\n")
        for known in inner.writer.known:
            if known.text.startswith("p") and known not in inner.parameters:
                continue
            if "(" not in known.text:
                self.writer.known.append(Known(f"{name}.{known.text}", known.kind, known.free))

    def defined(self) -> None:
        """Add macros: an expression, a set, an array."""
        writer, pick = self.writer, self.source.randrange
        if pick(2):
            kind = self.source.choice([*_TYPES])
            writer.read = False
            body = writer.of(kind, 2)
            self.lines.append(f"DEFINE d := {body};\n")
            writer.known.append(Known("d", kind, free=not writer.read))
        if pick(6) == 0:
            writer.read = False
            body = f"[{writer.of('int', 1)}, {writer.of('int', 1)}]"
            self.lines.append(f"DEFINE e := {body};\n")
            free = not writer.read
            cell = self.source.choice(("e[1]", f"e[toint({self.writer.of('bool', 0)})]"))
            writer.known.append(Known(cell, "int", free=free and cell == "e[1]"))
        if pick(6) == 0:
            writer.inputs = False
            self.lines.append(f"DEFINE s := {{1, {writer.of('int', 1)}}};\n")
            writer.inputs = True
            writer.known.append(Known("(1 in s)", "bool"))

    def assigned(self) -> None:
        """Say what values variables have."""
        self.lines.append("ASSIGN\n")
        for rank, variable in enumerate(self.variables):
            for cell in variable.cells:
                self._cell(rank, variable, cell)

    def _cell(self, rank: int, variable: _Variable, cell: str) -> None:
        writer, pick = self.writer, self.source.randrange
        if variable.storage == "IVAR":
            return
        writer.inputs, writer.below = False, rank
        if variable.storage == "VAR" and pick(7) == 0:
            self.lines.append(f"  {cell} := {writer.several(variable.kind, 2)};\n")
        else:
            if pick(4):
                value = writer.several(variable.kind, 1 if pick(3) == 0 else 0)
                self.lines.append(f"  init({cell}) := {value};\n")
            writer.inputs, writer.below, writer.later = True, None, rank if pick(2) else 0
            if variable.storage == "VAR" and pick(5):
                value = writer.several(variable.kind, 2)
                self.lines.append(f"  next({cell}) := {value};\n")
        writer.inputs, writer.below, writer.later = True, None, 0

    def constrained(self) -> None:
        """Restrict states, steps and what recurs."""
        writer, pick = self.writer, self.source.randrange
        if pick(5) == 0:
            writer.later = len(self.variables)
            self.lines.append(f"TRANS {writer.of('bool', 2)};\n")
            writer.later = 0
        if pick(10) == 0:
            self.lines.append(f"FAIRNESS {writer.of('bool', 1)};\n")
        if pick(25) == 0:
            pair = f"({writer.of('bool', 1)}, {writer.of('bool', 1)})"
            self.lines.append(f"COMPASSION {pair};\n")
        writer.inputs = False
        if pick(5) == 0:
            self.lines.append(f"INVAR {writer.of('bool', 2)};\n")
        if pick(6) == 0:
            self.lines.append(f"INIT {writer.of('bool', 2)};\n")
        writer.inputs = True

    def stated(self, count: int) -> None:
        """State properties."""
        writer, pick = self.writer, self.source.randrange
        for _ in range(count):
            kind = pick(6)
            if kind == 0:
                depth = 2 if pick(3) == 0 else 1
                self.lines.append(f"LTLSPEC {writer.temporal(_LINEAR, depth)};\n")
            elif kind == 1:
                writer.inputs = False
                self.lines.append(f"SPEC {writer.temporal(_BRANCHING, 1 + pick(2))};\n")
                writer.inputs = True
            else:
                writer.later = len(self.variables) if pick(5) == 0 else 0
                self.lines.append(f"INVARSPEC {writer.of('bool', 3)};\n")
                writer.later = 0

    def text(self) -> str:
        """Return the module."""
        formal = f"({', '.join(known.text for known in self.parameters)})"
        head = f"MODULE {self.name}{formal if self.parameters else ''}\n"
        if self.name == "main":
            head += "CONSTANTS red, green, blue;\n"
        variables = [f"{v.storage}\n  {v.name} : {v.type};\n" for v in self.variables]
        parts = ["VAR\n", *self.instances] if self.instances else []
        return "".join([head, *variables, *parts, *self.lines])


def random_text(source: random.Random) -> str:
    """Return a random text of main and up to two instances of up to two other modules."""
    odd = source.sample(_ODD, len(_ODD)) if source.randrange(2) else []
    inner = _Module(source, odd, "sub")
    for number in range(source.choice((0, 1, 1, 2))):
        inner.parameter(number)
    for number in range(source.randint(1, 2)):
        inner.variable(number)
    _finished(inner, source.choice((0, 0, 0, 1)))
    outer = _Module(source, odd, "main")
    for number in range(source.randint(1, 3)):
        outer.variable(number)
    process = source.randrange(12) == 0
    for number in range(source.choice((0, 1, 1, 2))):
        outer.instance(number, inner, process=process)
    _finished(outer, source.randint(1, 3))
    return f"{inner.text() if outer.instances else ''}{outer.text()}"


def _finished(module: _Module, properties: int) -> None:
    module.defined()
    module.assigned()
    module.constrained()
    module.stated(properties)
