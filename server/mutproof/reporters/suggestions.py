"""Reports of suggested properties: as text, JSON, source, and requirements for FRET.

Source of the FRET form: NASA-SW-VnV/fret, requirements as it exports them (`reqid`, `fulltext`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from mutproof.analyses.suggesting.finding import OUT_OF_TIME, Suggestion, SuggestionsFinding
from mutproof.base.text import counted
from mutproof.reporters import encoding
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.workspace.insertion import new_property

NONE: Final = SuggestionsFinding()
_MOST_PLACES: Final = 6


def chosen(file: ReportedFile, presentation: Presentation) -> list[Suggestion]:
    """Return the suggestions for a file: all, or the best set if asked for."""
    if presentation.config.get("best"):
        return list(_best(file, presentation))
    return list(_found(file).suggestions)


def _best(file: ReportedFile, presentation: Presentation) -> tuple[Suggestion, ...]:
    return _found(file).chosen(restating=bool(presentation.config.get("restating")))


def _found(file: ReportedFile) -> SuggestionsFinding:
    return NONE if file.report is None else file.report.suggestions or NONE


def text(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return each suggestion with the gaps that it closes, and what is left."""
    analysed = (file for file in files if file.report is not None)
    return "\n".join("\n".join(_of_file(file, presentation)) + "\n" for file in analysed)


def _of_file(file: ReportedFile, presentation: Presentation) -> Iterator[str]:
    style = presentation.style
    found = _found(file)
    best = _best(file, presentation)
    placed = {one.mutant.mutant: one for one in file.placed}
    yield style.paint("strong", file.shown_path)
    for one in chosen(file, presentation):
        mark = "*" if one in best else " "
        where = "" if one.component == file.main else f" in {one.component}"
        yield f"{mark} {style.paint('good', one.name)}{where}: {one.text}"
        yield f"    {one.sentence}"
        if one.restates:
            yield "    restates an element: it says what the model says, and no more"
        yield f"    kills {counted(len(one.kills), 'gap')}: {_places(one.kills, placed)}"
    reasons: dict[str, list[str]] = {}
    for mutant, reason in found.left:
        if mutant in placed:
            reasons.setdefault(reason, []).append(_place(placed[mutant]))
    for reason, places in reasons.items():
        yield f"{style.paint('warning', 'OPEN')} {counted(len(places), 'gap')}: {reason}"
        yield from (f"    {place}" for place in places)
    if OUT_OF_TIME in reasons:
        yield "the search takes half a minute, or a third of --file-timeout S if that is more"
    if OUT_OF_TIME in reasons and not presentation.config.get("elements"):
        yield "--element NAME spends all the time on the gaps of one element"
    closed = _closed(best)
    total = len(found.closed) + len(found.left)
    yield ""
    unproved = [one.name for one in file.unproved]
    if not total and (file.report is None or file.report.suggestions is None):
        yield "nothing was looked for: the file was not analysed to the end"
    elif not total and (unproved or not file.properties):
        what = f"not proved: {', '.join(unproved)}" if unproved else "there is no property"
        yield f"{file.so_far}no gaps are known: {what}"
    elif not total and presentation.config.get("elements"):
        yield f"{file.so_far}no gaps in the elements that were named: there is nothing to suggest"
    elif not total:
        yield f"{file.so_far}no gaps: there is nothing to suggest"
    else:
        again = sum(one.restates for one in best)
        kind = f" ({again} only restating the model)" if again else ""
        count = f"{len(closed)} of {counted(total, 'gap')} closed"
        yield f"{file.so_far}add {_properties(len(best))} (*){kind}: {count}"
        yield from _restating(found, best)
    if found.undecided:
        yield f"there may be more: of {counted(found.undecided, 'mutant')} it is not known yet"
    yield from file.notes
    if presentation.timings:
        whole = "" if file.report is None else f", {file.report.statistics.seconds:.2f} s in all"
        yield f"time {found.seconds:.2f} s for suggestions{whole}"
    if not file.finished:
        yield style.paint("bad", "incomplete: the run was given up")


def _properties(number: int) -> str:
    return f"{number} {'property' if number == 1 else 'properties'}"


def _closed(some: Sequence[Suggestion]) -> set[str]:
    return {name for one in some for name in one.kills}


def _restating(found: SuggestionsFinding, best: Sequence[Suggestion]) -> Iterator[str]:
    """Yield how many more gaps are closed if properties may restate an element."""
    complete = found.chosen(restating=True)
    more = len(_closed(complete) - _closed(best))
    if more:
        again = sum(one.restates for one in complete)
        verb = "is" if more == 1 else "are"
        which = "restates" if again == 1 else "restate"
        said = f"{counted(more, 'more gap')} {verb} closed by {_properties(again)}"
        yield f"{said} that {which} an element (--restating)"


def _places(kills: tuple[str, ...], placed: Mapping[str, PlacedMutant]) -> str:
    shown = [_place(placed[name]) for name in kills if name in placed]
    more = len(shown) - _MOST_PLACES
    return ", ".join(shown[:_MOST_PLACES]) + (f" and {more} more" if more > 0 else "")


def _place(placed: PlacedMutant) -> str:
    return f"{placed.place} {placed.mutant.summary}"


def to_json(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return for each file its suggestions, the names of the best set, and what is left."""
    return encoding.one_or_many(files, partial(_encoded, presentation=presentation))


def _encoded(file: ReportedFile, presentation: Presentation) -> dict[str, object]:
    found = _found(file)
    placed = {one.mutant.mutant: one for one in file.placed}

    def encoded(mutant: str) -> dict[str, object]:
        one = placed[mutant]
        return {
            "id": one.mutant.shown,
            **encoding.place(one.place),
            "summary": one.mutant.summary,
        }

    return {
        "file": file.path,
        "suggestions": [
            {
                "name": one.name,
                "component": one.component,
                "text": one.text,
                "sentence": one.sentence,
                "requirement": one.requirement,
                "conditions": list(one.conditions),
                "claim": one.claim,
                "when": one.when,
                "restates": one.restates,
                "kills": [encoded(mutant) for mutant in one.kills if mutant in placed],
            }
            for one in chosen(file, presentation)
        ],
        "best": [one.name for one in _best(file, presentation)],
        "restating": [one.name for one in found.chosen(restating=True) if one.restates],
        "left": [
            {**encoded(mutant), "reason": reason}
            for mutant, reason in found.left
            if mutant in placed
        ],
        "diagnostics": encoding.diagnostics(file),
        **({"undecided": found.undecided} if found.undecided else {}),
        **({"seconds": round(found.seconds, 3)} if presentation.timings else {}),
        **({} if file.finished else {"finished": False}),
    }


def source(files: tuple[ReportedFile, ...], presentation: Presentation, called: str = "") -> str:
    """Return the suggestions as lines of the language of each file, or of one language only."""
    lines: list[str] = []
    for file in files:
        language = file.language
        if language is None or (called and called not in language.called):
            continue
        for one in chosen(file, presentation):
            lines.append(f"{language.line_comment} {file.shown_path}, {one.component}")
            lines += language.property_lines(new_property(language, one))
    return "".join(f"{line}\n" for line in lines)


def fret(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return the suggestions as requirements that FRET imports."""
    value = [
        {
            "reqid": one.name,
            "parent_reqid": "",
            "project": Path(file.path).stem,
            "rationale": one.sentence,
            "comments": f"kills {counted(len(one.kills), 'mutant')} that no property noticed",
            "status": "",
            "fulltext": one.requirement,
            "semantics": {"component": one.component, "component_name": one.component},
            "mutproof": {"component": one.component, "text": one.text, "logic": one.logic},
        }
        for file in files
        for one in chosen(file, presentation)
    ]
    return encoding.dumped(value)


def html(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a page with the suggestions, the mutants in their text, and what else is known."""
    from mutproof.reporters import html as pages

    return pages.mutate(files, presentation)


def sarif(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a log for code scanning, with a fix for each suggestion."""
    from mutproof.reporters import sarif as logs

    return logs.suggested([(file, chosen(file, presentation)) for file in files], presentation)


FORMATS: Final[Mapping[str, Callable[[tuple[ReportedFile, ...], Presentation], str]]] = {
    "text": text,
    "json": to_json,
    "html": html,
    "sarif": sarif,
    "source": source,
    "fret": fret,
}


def writer(name: str) -> Callable[[tuple[ReportedFile, ...], Presentation], str]:
    """Return the writer of suggestions in a format, which may be a language, by its name."""
    return FORMATS[name] if name in FORMATS else partial(source, called=name)
