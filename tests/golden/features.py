"""What is annotated wherever it is found: a word behind the language of a block asks for it.

Whatever of it is found is annotated, and what is annotated is found; `questions` has what is
asked at a place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from notation import NotationError, Note
from seen import Seen, finding_text, mutant_text, operator

from mutproof.base.span import Span
from mutproof.ide import (
    code_lenses,
    folding,
    inlay_hints,
    problems,
    semantic_tokens,
    symbols,
)
from mutproof.ide.placed import PlacedProperty, ShownMutant
from mutproof.ide.symbols import Symbol


def verdict_ends(seen: Seen) -> dict[tuple[int, str], str]:
    """Return the verdicts of the properties of each line; names where there are several."""
    stated: dict[int, list[PlacedProperty]] = {}
    placed = 0
    for prop in seen.verdicts.properties:
        placed += len(prop.findings)
        stated.setdefault(seen.source.position(prop.span.start).line, []).append(prop)
    if placed != len(seen.verdicts.analysed.report.properties):
        raise NotationError("not every verdict has a place")
    ends = {}
    for line, props in stated.items():
        found = {f.name: finding_text(f) for prop in props for f in prop.findings}
        found |= {prop.name: "undecided" for prop in props if not prop.findings}
        if len(set(found.values())) == 1:
            ends[line, "="] = next(iter(found.values()))
        else:
            ends[line, "="] = ", ".join(f"{name} {text}" for name, text in sorted(found.items()))
    return ends


def mutant_notes(seen: Seen) -> Iterator[Note]:
    """Yield the fates of the mutants of each place."""
    fates: dict[Span, dict[str, list[ShownMutant]]] = {}
    for mutant in seen.verdicts.mutants:
        by_text = fates.setdefault(mutant.span, {})
        by_text.setdefault(mutant_text(mutant), []).append(mutant)
    for span, by_text in fates.items():
        parts = [f"{fate}: {', '.join(map(operator, own))}" for fate, own in by_text.items()]
        yield Note(span, ("; ".join(parts),), "mutants")


def problem_notes(seen: Seen) -> Iterator[Note]:
    """Yield the problems that proofs and mutants show; those of the text stand at line ends."""
    for draft in problems.verdict_drafts(seen.verdicts):
        found = draft.worded()
        if (draft.severity, draft.span) != (found.severity, found.span):
            raise NotationError(f"is ranked as another problem: {found}")
        faded = " (faded)" if found.unnecessary else ""
        first, *rest = found.message.splitlines()
        yield Note(found.span, (f"{found.severity.value}[{found.code}]{faded}: {first}", *rest))


def lens_notes(seen: Seen) -> Iterator[Note]:
    for lens in code_lenses.lenses(seen.verdicts):
        yield Note(lens.span, (f"lens: {lens.title}",))


def inlay_notes(seen: Seen) -> Iterator[Note]:
    everything = Span(0, len(seen.source.content))
    for hint in inlay_hints.inlay_hints(seen.verdicts, everything):
        yield Note(Span(hint.offset - 1, hint.offset), (f"inlay: {hint.text} ({hint.tooltip})",))


def fold_notes(seen: Seen) -> Iterator[Note]:
    """Yield the foldable ranges, at the last character of their first line."""
    lines = seen.source.content.splitlines()
    for fold in folding.folds(seen.elaborated, seen.language):
        end = seen.source.line_starts[fold.first] + len(lines[fold.first])
        text = f"fold: {fold.kind.value} to «{lines[fold.last].strip()}»"
        yield Note(Span(end - 1, end), (text,))


def outline_notes(seen: Seen) -> Iterator[Note]:
    """Yield the entries of the outline, each with its owners and what else is in it."""

    def notes(found: Symbol, owners: str) -> Iterator[Note]:
        if not found.whole.covers(found.name):
            raise NotationError(f"the name of {found.label} is outside of it")
        kind = "property" if found.is_property else found.kind.value if found.kind else "element"
        yield Note(found.name, (f"symbol: {kind} {owners}{found.label}",), "outline")
        if sorted(found.children, key=lambda child: child.whole) != list(found.children):
            raise NotationError(f"what {found.label} contains is not in the order of the text")
        for child in found.children:
            if not found.whole.covers(child.whole):
                raise NotationError(f"{child.label} is outside of {found.label}")
            yield from notes(child, f"{owners}{found.label} > ")

    for symbol in symbols.symbols(seen.names, seen.elaborated.provenance):
        yield from notes(symbol, "")


def colour_notes(seen: Seen) -> Iterator[Note]:
    found = semantic_tokens.semantic_tokens(seen.names, seen.elaborated.provenance)
    if [token.span for token in found] != sorted({token.span for token in found}):
        raise NotationError("colours are not in the order of the text")
    for token in found:
        more = [modifier.value for modifier in token.modifiers]
        yield Note(token.span, (" ".join(["colour:", token.kind.value, *more]),), "colours")


WHOLE: dict[str, Callable[[Seen], Iterator[Note]]] = {
    "mutants": mutant_notes,
    "problems": problem_notes,
    "lenses": lens_notes,
    "inlays": inlay_notes,
    "folds": fold_notes,
    "outline": outline_notes,
    "colours": colour_notes,
}
KINDS = frozenset(
    [
        "killed",
        "survived",
        "equivalent",
        "gap",
        "undetermined",
        "unknown",
        "ignored",
        "stillborn",
        "undecided",
        "error",
        "warning",
        "information",
        "hint",
        "lens",
        "inlay",
        "fold",
        "symbol",
        "colour",
    ]
)
