"""What annotations say: everything of a kind (`WHOLE`), or what is asked at a place (`ASKED`).

A word behind the language of a block (`lustre verdicts lenses`) asks for everything of a kind:
whatever of it is found is annotated, and what is annotated is found. A setting (`level=paper`)
changes how the block is analysed. Annotations of `ASKED` are questions wherever they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import ndiff
from functools import cached_property

from notation import Note, NotationError

from mutproof.analyses.equivalence.finding import EquivalenceStatus
from mutproof.analyses.finding import MutantFinding, MutantStatus, PropertyFinding
from mutproof.base.budget import Budget
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import (
    actions,
    code_lenses,
    completion,
    folding,
    hover,
    inlay_hints,
    navigation,
    problems,
    rename,
    semantic_tokens,
    symbols,
)
from mutproof.ide import names as naming
from mutproof.ide.action import Selection
from mutproof.ide.completion import CompletionKind
from mutproof.ide.placed import PlacedMutant, PlacedProperty
from mutproof.ide.shown import Shown, ShowDiff, ShowPlaces, ShowText, StartRun
from mutproof.ide.symbols import Symbol
from mutproof.ide.verdicts import Verdicts
from mutproof.model.editing import TextEdit
from mutproof.model.language import Elaborated, Language
from mutproof.workspace import report as reports
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Snapshot

QUERIES = Queries()
STATES = ("accepted", "running", "stale")
SETTINGS = ("level", "operators", "equivalence", "core_search", "rlimit")


@dataclass(frozen=True)
class Seen:
    """Hold an annotated text as an editor sees it; `words` is what is asked of the block."""

    language: Language
    source: SourceText
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = [w for w in self.plain if w not in WHOLE and w not in STATES]
        unknown += [key for key in self.settings if key not in SETTINGS]
        if unknown:
            raise NotationError(f"asks for what there is not: {', '.join(unknown)}")

    @property
    def plain(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if "=" not in word)

    @property
    def settings(self) -> dict[str, str]:
        return dict(word.split("=", 1) for word in self.words if "=" in word)

    @cached_property
    def elaborated(self) -> Elaborated:
        return QUERIES.elaborated(self.language.name, self.source)

    @cached_property
    def names(self) -> naming.Names:
        return naming.names(self.elaborated, self.language)

    @cached_property
    def options(self) -> Options:
        chosen = self.settings
        budget = Budget(timeout_s=60.0)
        if "rlimit" in chosen:
            budget = replace(budget, rlimit=int(chosen["rlimit"]))
        return Options(
            level=chosen.get("level", "default"),
            operators=tuple(filter(None, chosen.get("operators", "").split(","))),
            equivalence=chosen.get("equivalence", ""),
            core_search=chosen.get("core_search", "one"),
            budget=budget,
            mutate=self.plain != ("verdicts",),
            cores=not set(self.plain) <= {"verdicts", "mutants"},
        )

    @cached_property
    def verdicts(self) -> Verdicts:
        """Return the verdicts of a real run, without the seconds it took."""
        meaning, options = self.elaborated, self.options
        if meaning.program is None:
            raise NotationError("has no program to be analysed")
        report = reports.started(reports.FileReport(), reports.basis(meaning.program, options))
        report = reports.listed(report, QUERIES.listing(self.language.name, meaning, options))
        if "running" not in self.plain:
            events: list[object] = []
            analyse(meaning, options, Memory(), events.append, lambda: False)
            timeless = [
                replace(e, seconds=0.0) if isinstance(e, PropertyFinding | MutantFinding) else e
                for e in events
            ]
            report = reports.finished(reports.merged(report, timeless))
        if "stale" in self.plain:
            options = replace(options, level="all")
        text = meaning.parsed.source
        snapshot = Snapshot("file:///golden", 1, text, self.language, options)
        return Verdicts(snapshot.with_elaborated(meaning).with_report(report).analysed)

    def quoted(self, *spans: Span) -> Iterator[str]:
        """Yield the lines in which the spans begin, these in «»."""
        by_line: dict[int, list[Span]] = {}
        for span in spans:
            by_line.setdefault(self.source.position(span.start).line, []).append(span)
        for number, own in sorted(by_line.items()):
            start = self.source.line_starts[number - 1]
            line = self.source.content.splitlines()[number - 1]
            for span in sorted(own, reverse=True):
                first, last = span.start - start, min(span.end - start, len(line))
                line = f"{line[:first]}«{line[first:last]}»{line[last:]}"
            yield line.strip()


def mutant_text(mutant: PlacedMutant) -> str:
    """Return what is known of a mutant: its fate, and who or what decided it."""
    finding, status, known = mutant.finding, mutant.status, mutant.equivalence
    if status is None or finding is None:
        return "undecided" if status is None else status.value
    if status is MutantStatus.KILLED:
        killers = (f"{name} at step {finding.steps[name]}" for name in finding.killed_by)
        return f"killed by {', '.join(killers)}"
    if status is MutantStatus.UNKNOWN:
        return f"unknown ({finding.reason})"
    if known is not None and known.status is EquivalenceStatus.GAP:
        return f"gap at step {known.step}"
    return status.value if known is None else known.status.value


def finding_text(finding: PropertyFinding) -> str:
    """Return the verdict of a property, with the steps of a counterexample."""
    if finding.verdict.value == "falsified":
        return f"falsified after {finding.k} step{'s' if finding.k != 1 else ''}"
    vacuous = f", vacuously: {finding.vacuity}" if finding.vacuity else ""
    return f"{finding.verdict.value}{vacuous}"


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
    fates: dict[tuple[Span, str], list[PlacedMutant]] = {}
    for mutant in seen.verdicts.mutants:
        fates.setdefault((mutant.span, mutant_text(mutant)), []).append(mutant)
    for (span, fate), mutants in fates.items():
        operators = [mutant.record.operator for mutant in mutants]
        named = [
            operator if operators.count(operator) == 1 else f"{operator} {mutant.label}"
            for operator, mutant in zip(operators, mutants, strict=True)
        ]
        yield Note(span, (f"{fate}: {', '.join(sorted(named))}",))


def problem_notes(seen: Seen) -> Iterator[Note]:
    """Yield the problems that proofs and mutants show; those of the text stand at line ends."""
    for found in problems.verdict_problems(seen.verdicts):
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
        yield Note(found.name, (f"symbol: {kind} {owners}{found.label}",))
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
        yield Note(token.span, (" ".join(["colour:", token.kind.value, *more]),))


WHOLE: dict[str, Callable[[Seen], Iterator[Note]] | None] = {
    "verdicts": None,  # at the ends of lines
    "mutants": mutant_notes,
    "problems": problem_notes,
    "lenses": lens_notes,
    "inlays": inlay_notes,
    "folds": fold_notes,
    "outline": outline_notes,
    "colours": colour_notes,
}
KINDS = frozenset(
    "killed survived equivalent gap undetermined unknown ignored stillborn undecided"
    " error warning information hint lens inlay fold symbol colour".split()
)


def hovered(seen: Seen, note: Note) -> Note:
    found = hover.hover(seen.verdicts, seen.names, note.span.start)
    if found is None:
        return answer(note)
    return answer(replace(note, span=found.span), *found.markdown.splitlines())


def defined(seen: Seen, note: Note) -> Note:
    target = navigation.definition(seen.names, note.span.start)
    if target is None:
        return answer(note)
    return answer(replace(note, span=target.origin), *seen.quoted(target.name))


def referred(seen: Seen, note: Note) -> Note:
    """Quote all occurrences of a name, and say where it is written."""
    at = note.span.start
    found = navigation.highlights(seen.names, at)
    spans = navigation.references(seen.names, at, include_declaration=True)
    uses = navigation.references(seen.names, at, include_declaration=False)
    target = navigation.definition(seen.names, at)
    declared = {target.name} if target is not None else set()
    if [h.span for h in found] != list(spans) or set(spans) - set(uses) != declared:
        raise NotationError("highlights and references differ")
    written = [h.span for h in found if h.is_write]
    lines = list(seen.quoted(*(h.span for h in found if not h.is_write)))
    return answer(note, *(f"writes: {line}" for line in seen.quoted(*written)), *lines)


def renamed(seen: Seen, note: Note) -> Note:
    found = rename.rename(seen.names, note.span.start, note.subject)
    if found.refusal:
        return answer(note, f"refused: {found.refusal}")
    edits = tuple(TextEdit(span, note.subject) for span in found.spans)
    return answer(note, *changes(seen, edits))


def completed(seen: Seen, note: Note) -> Note:
    """List the names that may be typed, and count the keywords."""
    at = note.span.start
    before = seen.source.content[:at].rpartition("\n")[2]
    found = completion.completions(seen.names, at, before)
    keywords = {item.label for item in found if item.kind is CompletionKind.KEYWORD}
    named = [item.label for item in found if item.label not in keywords]
    if keywords and keywords != set(seen.language.lexis.keywords):
        raise NotationError("some keywords are proposed, and some are not")
    return answer(note, ", ".join(named) + (", and the keywords" if keywords else ""))


def offered(seen: Seen, note: Note) -> Note:
    at = Span(note.span.start, note.span.start)
    found = actions.actions(Selection(seen.verdicts, at))
    return answer(note, *(action.title for action in found))


def clicked(seen: Seen, note: Note) -> Note:
    """Do what the one action or lens does whose title begins like the subject of a note."""
    at = Span(note.span.start, note.span.start)
    found = [
        action
        for action in actions.actions(Selection(seen.verdicts, at))
        if action.title.startswith(note.subject)
    ]
    lenses = [
        lens
        for lens in code_lenses.lenses(seen.verdicts)
        if lens.span.start == at.start and lens.title.startswith(note.subject)
    ]
    if len(found) + len(lenses) != 1 or not note.subject:
        titles = [one.title for one in (*found, *lenses)]
        raise NotationError(f"{note.subject!r} is not the beginning of one title: {titles}")
    if lenses:
        return answer(note, *shown_lines(seen, lenses[0].shown))
    (action,) = found
    if action.edits:
        return answer(note, *changes(seen, action.edits), *consequences(seen, action.edits))
    assert action.shown is not None
    return answer(note, *shown_lines(seen, action.shown))


ASKED: dict[str, Callable[[Seen, Note], Note]] = {
    "hover": hovered,
    "definition": defined,
    "references": referred,
    "rename": renamed,
    "completion": completed,
    "actions": offered,
    "click": clicked,
}


def answer(note: Note, *lines: str) -> Note:
    """Return a question with its answer, one line beside it and more below."""
    head = note.lines[0].partition(":")[0]
    if len(lines) < 2:
        return Note(note.span, (f"{head}: {''.join(lines) or 'nothing'}",))
    return Note(note.span, (f"{head}:", *lines))


def shown_lines(seen: Seen, shown: Shown) -> Iterator[str]:
    """Yield what is shown, line by line."""
    match shown:
        case ShowText(title, text):
            yield from (title, *text.splitlines())
        case ShowDiff(title, left, right):
            yield from (title, *differences(left, right))
        case ShowPlaces(title, places):
            yield title
            for place in places:
                yield f"{place.label}: {next(seen.quoted(place.span))}"
        case StartRun():
            yield "starts a run"


def differences(left: str, right: str) -> Iterator[str]:
    compared = ndiff(left.splitlines(), right.splitlines())
    yield from (line for line in compared if line[0] in "+-")


def edited(seen: Seen, edits: tuple[TextEdit, ...]) -> Seen:
    text = seen.source.content
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return replace(seen, source=SourceText("golden", text))


def changes(seen: Seen, edits: tuple[TextEdit, ...]) -> Iterator[str]:
    """Yield the lines that edits change; they break nothing."""
    new = edited(seen, edits)
    if new.elaborated.diagnostics != () and seen.elaborated.diagnostics == ():
        raise NotationError(f"the edit breaks the text: {new.elaborated.diagnostics}")
    yield from differences(seen.source.content, new.source.content)


def consequences(seen: Seen, edits: tuple[TextEdit, ...]) -> Iterator[str]:
    """Yield what the verdicts of the edited text say that those before it do not."""
    before, after = seen.verdicts, edited(seen, edits).verdicts
    known = {f.name: finding_text(f) for prop in before.properties for f in prop.findings}
    now = {f.name: finding_text(f) for prop in after.properties for f in prop.findings}
    for name in [*now, *(name for name in known if name not in now)]:
        if known.get(name) != now.get(name):
            yield f"then: {name} {now.get(name, 'is gone')}"
    told: dict[str, list[str]] = {}
    for name in dict.fromkeys([*before.by_id, *after.by_id]):
        old, new = before.by_id.get(name), after.by_id.get(name)
        fates = [mutant_text(m).partition(" (")[0] if m else "" for m in (old, new)]
        if fates[0] == fates[1]:
            continue
        mutant = new or old
        assert mutant is not None
        if old is None or new is None:
            told.setdefault("new" if old is None else "gone", []).append("")
        else:
            label = f"{mutant.record.operator} {mutant.label}"
            told.setdefault(f"{fates[0]}, now {fates[1]}", []).append(label)
    for fate, labels in told.items():
        named = ", ".join(labels) if labels[0] else f"{len(labels)} mutants"
        yield f"then: {named} {fate}"
