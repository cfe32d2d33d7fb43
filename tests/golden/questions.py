"""What an annotation asks at its place, wherever it stands: the answer is written behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import ndiff

from notation import NotationError, Note
from seen import Seen, finding_text, mutant_text, operator

from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import (
    actions,
    code_lenses,
    completion,
    hover,
    navigation,
    rename,
)
from mutproof.ide.action import Selection
from mutproof.ide.completion import CompletionKind
from mutproof.ide.shown import ShowDiff, Shown, ShowPlaces, ShowText, StartRun
from mutproof.model.editing import TextEdit


def hovered(seen: Seen, note: Note) -> Note:
    found = hover.hover(seen.verdicts, seen.names, note.span.start)
    if found is None:
        return answer(note)
    return answer(replace(note, span=found.span), *filter(None, found.markdown.splitlines()))


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
    return answer(note, " | ".join(action.title for action in found))


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
            yield from (f"{title} in «{left.splitlines()[0]}»", *differences(left, right))
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
            told.setdefault(f"{fates[0]}, now {fates[1]}", []).append(operator(mutant))
    for fate, labels in told.items():
        named = ", ".join(labels) if labels[0] else f"{len(labels)} mutants"
        yield f"then: {named} {fate}"
