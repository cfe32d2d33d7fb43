"""Compare the product with the evaluator of trees on random NuSMV texts, mutants included."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from mutproof.analyses.finding import MutantStatus, PropertyVerdict
from mutproof.base.budget import Budget
from mutproof.base.diagnostics import Severity
from mutproof.model.trace import Trace
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support import tree_nusmv
from support.nusmv_mutants import elaborated, mutated_text
from support.tree_nusmv import Explicit, TooLargeError

MUTANTS = 12
EVERY = 3
_ODD = ("x$1", "_a", "x-y", "a#b", "S0", "x.y", "k[0]", "x.y[1]", "k[-1].z", "next_", "b-1", "q$")


def differences(seed: int, *, every: int = EVERY) -> list[str]:
    """Return the differences on the random text of a seed."""
    text = random_text(random.Random(f"nusmv {seed}"))
    return [f"{found}\n{text}" for found in compare(text, mutate=seed % every == 0)]


def compare(text: str, *, mutate: bool) -> Iterator[str]:
    """Yield the differences on a text of invariants in main."""
    found = elaborated(text)
    errors = [d for d in found.diagnostics if d.severity is Severity.ERROR]
    if errors:
        yield f"refused: {errors[0].code}: {errors[0].message}"
        return
    model = tree_nusmv.read(text)
    try:
        holding = verdicts(model)
    except TooLargeError:
        return
    budget = Budget(rlimit=3_000_000, timeout_s=2.0)
    options = Options(
        level="all", cores=False, mutate=mutate, budget=budget, most_mutants=MUTANTS, timeout_s=20.0
    )
    report = analyse(found, options, Memory(), lambda _: None, lambda: False)
    numbers = {finding.name: number for number, finding in enumerate(report.properties)}
    for number, finding in enumerate(report.properties):
        if finding.verdict is PropertyVerdict.UNKNOWN:
            continue
        if (finding.verdict is PropertyVerdict.PROVED) != holding[number]:
            yield f"verdict: {finding.name} is {finding.verdict.value}"
        if finding.verdict is PropertyVerdict.FALSIFIED and finding.trace is not None:
            yield from replayed(model, finding.trace, [number])
    proved = [n for n, f in enumerate(report.properties) if f.verdict is PropertyVerdict.PROVED]
    mutants = {mutant.id: mutant for mutant in enumerate_mutants(found, options)} if mutate else {}
    for decided in report.mutants if mutate else ():
        if decided.status not in {MutantStatus.KILLED, MutantStatus.SURVIVED}:
            continue
        changed = mutated_text(found, mutants[decided.mutant])
        shown = f"{decided.mutant}\n-- mutant\n{changed}\n-- of"
        mutant = tree_nusmv.read(changed)
        try:
            failing = [number for number, holds in enumerate(verdicts(mutant)) if not holds]
        except TooLargeError:
            continue
        killers = [numbers[name] for name in decided.killed_by]
        if decided.status is MutantStatus.KILLED:
            assert decided.trace is not None
            for problem in replayed(mutant, decided.trace, killers):
                yield f"killed: {problem} of {shown}"
        wanted = [number for number in failing if number in proved]
        undecided = {numbers[name] for name in decided.undecided}
        if sorted({*killers} | undecided) != sorted({*wanted} | undecided):
            yield f"mutant: {decided.status.value} by {killers}, not {wanted}: {shown}"


def verdicts(model: Explicit) -> list[bool]:
    """Return for each invariant whether it holds in all states that can be reached."""
    states = model.reachable()
    return [all(stated(s, tree_nusmv.NOWHERE) for s in states) for stated in model.invariants]


def replayed(model: Explicit, trace: Trace, killers: list[int]) -> Iterator[str]:
    """Yield what is wrong with an execution that shall violate one of some invariants.

    A trace leaves out what the property does not need: some values of it must fit.
    """
    rows = [list(tree_nusmv.states_of(model, row)) for row in trace.steps]
    current = [state for state in rows[0] if model.is_first(state)]
    for after in rows[1:]:
        fitting = [state for state in after if model.is_state(state)]
        current = [t for t in fitting if any(model.is_step(s, t) for s in current)]
    if not current:
        yield f"trace: this is no execution: {trace.steps}"
    elif all(model.invariants[n](current[0], tree_nusmv.NOWHERE) for n in killers):
        yield f"trace: {killers} hold at the end of {trace.steps}"


# --- random texts -----------------------------------------------------------------------------


@dataclass
class _Writer:
    """Write expressions of the kinds `bool`, `int` (0 to 2), `color` and `word` (2 bits)."""

    source: random.Random
    names: dict[str, list[str]] = field(default_factory=lambda: {k: [] for k in _TYPES})
    ahead: bool = False

    def name(self, kind: str) -> str | None:
        known = self.names[kind]
        if not known:
            return None
        chosen = self.source.choice(known)
        return f"next({chosen})" if self.ahead and self.source.randrange(4) == 0 else chosen

    def of(self, kind: str, depth: int) -> str:
        """Return an expression of a kind."""
        roll = self.source.randrange(8)
        if depth == 0 or roll < 2:
            name = self.name(kind)
            if name is None or self.source.randrange(5) == 0:
                return self.source.choice(_LITERALS[kind])
            return name
        if roll == 2:
            condition, value, other = (self.of(k, depth - 1) for k in ("bool", kind, kind))
            return f"({condition} ? {value} : {other})"
        if roll == 3:
            condition, value, other = (self.of(k, depth - 1) for k in ("bool", kind, kind))
            return f"case {condition} : {value}; TRUE : {other}; esac"
        return self.operation(kind, depth - 1)

    def operation(self, kind: str, depth: int) -> str:
        pick = self.source.choice
        if kind == "bool":
            other = pick(("int", "color", "word", "bool", "bool"))
            left, right = self.of(other, depth), self.of(other, depth)
            if other == "bool":
                return (
                    f"({left} {pick(('&', '|', 'xor', '->', '<->', 'xnor'))} {right})"
                    if pick((0, 1))
                    else f"!({left})"
                )
            signs = ("=", "!=") if other == "color" else ("=", "!=", "<", "<=", ">", ">=")
            if other != "word" and pick((0, 0, 1)):
                return f"({left} in {{{right}, {pick(_LITERALS[other])}}})"
            return f"({left} {pick(signs)} {right})"
        left, right = self.of(kind, depth), self.of(kind, depth)
        if kind == "int":
            one, two = self.of("bool", depth), self.of("bool", depth)
            forms = (
                f"(({left} + {right}) mod 3)",
                f"(({left} * {right}) mod 3)",
                f"min({left}, {right})",
                f"max({left}, {right})",
                f"count({one}, {two})",
                f"abs({left} - {right})",
                f"({left} / 2)",
            )
            return pick(forms)
        if kind == "word":
            return f"({left} {pick(('+', '-', '&', '|', 'xor', '*'))} {right})"
        return self.source.choice(_LITERALS["color"])


_TYPES = {
    "bool": ("boolean",),
    "int": ("0..2", "{0, 1, 2}"),
    "color": ("{red, green, blue}",),
    "word": ("word[2]", "unsigned word[2]"),
}
_LITERALS = {
    "bool": ("TRUE", "FALSE"),
    "int": ("0", "1", "2"),
    "color": ("red", "green", "blue"),
    "word": ("0ud2_0", "0b2_01", "0ud2_3"),
}


def random_text(source: random.Random) -> str:
    """Return a random text of main and up to two instances of another module."""
    odd = source.sample(_ODD, len(_ODD)) if source.randrange(2) else []
    inner = _Writer(source)
    inner.names["bool"].append("p")
    sub = _module(inner, "sub(p)", odd, source.randint(1, 2))
    outer = _Writer(source)
    declared = _declared(outer, odd, source.randint(1, 3))
    instances = []
    for number in range(source.choice((0, 1, 1, 2))):
        actual = outer.of("bool", 1)
        instances.append(f"  u{number} : sub({actual});\n")
        for kind, names in inner.names.items():
            outer.names[kind] += [f"u{number}.{name}" for name in names if name != "p"]
    body = _body(outer, declared)
    stated = "".join(f"INVARSPEC {outer.of('bool', 3)};\n" for _ in range(source.randint(1, 3)))
    parts = "".join(instances) or "  spare : boolean;\n"
    head = f"MODULE main\nCONSTANTS red, green, blue;\n{_variables(declared)}VAR\n{parts}"
    return f"{sub if instances else ''}{head}{body}{stated}"


def _declared(writer: _Writer, odd: list[str], count: int) -> list[tuple[str, str, str]]:
    found = []
    for number in range(count):
        kind = writer.source.choice([*_TYPES])
        name = odd.pop() if odd else f"v{number}"
        storage = writer.source.choice(("VAR", "VAR", "VAR", "FROZENVAR"))
        found.append((storage, name, kind))
        writer.names[kind].append(name)
    return found


def _variables(declared: list[tuple[str, str, str]]) -> str:
    lines = (f"{storage}\n  {name} : {_TYPES[kind][0]};\n" for storage, name, kind in declared)
    return "".join(lines)


def _module(writer: _Writer, header: str, odd: list[str], count: int) -> str:
    declared = _declared(writer, odd, count)
    return f"MODULE {header}\n{_variables(declared)}{_body(writer, declared)}"


def _body(writer: _Writer, declared: list[tuple[str, str, str]]) -> str:
    source = writer.source
    lines = []
    if source.randrange(2):
        kind = source.choice([*_TYPES])
        lines.append(f"DEFINE\n  d := {writer.of(kind, 2)};\n")
        defined = (kind, "d")
    else:
        defined = None
    if defined:
        writer.names[defined[0]].append("d")
    lines.append("ASSIGN\n")
    for storage, name, kind in declared:
        if source.randrange(3):
            lines.append(f"  init({name}) := {source.choice(_LITERALS[kind])};\n")
        if storage == "VAR" and source.randrange(4):
            value = writer.of(kind, 2)
            if kind != "word" and source.randrange(4) == 0:
                value = f"{{{value}, {writer.of(kind, 1)}}}"
            lines.append(f"  next({name}) := {value};\n")
    if source.randrange(4) == 0:
        lines.append(f"INVAR {writer.of('bool', 2)};\n")
    if source.randrange(4) == 0:
        writer.ahead = True
        frozen = writer.names
        writer.names = {k: [n for n in v if n != "d" and n != "p"] for k, v in frozen.items()}
        lines.append(f"TRANS {writer.of('bool', 2)};\n")
        writer.names, writer.ahead = frozen, False
    if source.randrange(5) == 0:
        lines.append(f"INIT {writer.of('bool', 2)};\n")
    return "".join(lines)
