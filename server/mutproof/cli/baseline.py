"""`--baseline`: gaps that somebody has accepted, with a reason, so that only new ones fail.

Gaps are identified by what they change, so an acceptance survives moves of text and ends when the
element changes. It never changes a verdict or a score.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

from mutproof.base.record import dataclass
from mutproof.base.text import counted, visible
from mutproof.cli.console import Console, ensure_writable, write_file
from mutproof.cli.failure import UserError
from mutproof.cli.result import Result
from mutproof.reporters import encoding
from mutproof.reporters.disposition import ClosedGap, Disposition
from mutproof.reporters.fate import ACCEPTABLE, OPEN, MutantFate, fate
from mutproof.reporters.reported_file import Acceptance, PlacedMutant, ReportedFile
from mutproof.workspace.options import Options

CODE: Final = "baseline"
VERSION: Final = 1
LEAST_DIGITS: Final = 8
"""The least number of digits of a mutant's id in a baseline; reports print more."""

_NAMED: Final = 5
_SHOWN: Final = 10
_WAY_OUT: Final = "name another one with --baseline"


@dataclass(frozen=True, slots=True)
class AcceptedGap:
    """Hold an accepted gap.

    `file` is relative to the folder of the baseline; `mutant` is its id or a prefix; `operator`,
    `element` and `change` are for readers only. Dates are YYYY-MM-DD; `expires` is the last day,
    empty for no end. `disposition` is the planned way out of the gap, empty for "justify".
    """

    file: str
    mutant: str
    operator: str = ""
    element: str = ""
    change: str = ""
    disposition: str = ""
    reason: str = ""
    author: str = ""
    date: str = ""
    expires: str = ""

    @property
    def shown(self) -> str:
        """Return it in one line, for messages."""
        where = f"{self.operator} {self.change} in {self.element}".strip()
        return visible(f"{self.file}: {where} [{self.mutant[:_SHOWN]}]")


class AcceptedGaps:
    """Hold the accepted gaps of a baseline, and their state in a run; mutable, used once."""

    def __init__(self, path: Path, accepted: Sequence[AcceptedGap], today: str) -> None:
        self._path = path
        self._today = today
        self._accepted = list(accepted)
        self._stale: dict[AcceptedGap, ClosedGap] = {}
        self._expired: list[AcceptedGap] = []
        self._new: dict[tuple[str, str], AcceptedGap] = {}

    @staticmethod
    def of(arguments: Namespace) -> AcceptedGaps | None:
        """Return the baseline that the arguments name, None for none.

        Raises:
            UserError: it cannot be read, or written where that is asked, or has an invalid entry.
        """
        if getattr(arguments, "baseline", None) is None:
            if getattr(arguments, "update_baseline", False):
                way_out = "name one, such as --baseline mutproof-baseline.json"
                raise UserError("usage", "--update-baseline needs --baseline", way_out=way_out)
            return None
        path = Path(arguments.baseline)
        expires = arguments.expires or ""
        if arguments.update_baseline and expires and expires < _today():
            message = f"--expires {expires} has passed: nothing would be accepted"
            raise UserError("usage", message, way_out="name a day that is to come")
        if arguments.update_baseline:
            ensure_writable(path, _WAY_OUT)
            if not path.exists():
                return AcceptedGaps(path, (), _today())
        return AcceptedGaps(path, read(path), _today())

    def applied(
        self, results: tuple[Result, ...], options: Callable[[str], Options]
    ) -> tuple[Result, ...]:
        """Return the results with each file's accepted gaps; `options` are those of a file."""
        return tuple(
            replace(result, reported=self._of_file(result.reported, options)) for result in results
        )

    def updated(
        self,
        results: tuple[Result, ...],
        console: Console,
        *,
        reason: str,
        expires: str,
        disposition: str,
    ) -> tuple[Result, ...]:
        """Accept all gaps of the results and forget what is stale; write the file.

        What is said of those that are accepted already stays.

        Raises:
            UserError: the file cannot be written.
        """
        said = {"reason": reason, "disposition": disposition}
        given = {"date": self._today, "expires": expires}
        known = [one for one in self._accepted if one not in self._stale]
        again = {id(one) for one in self._expired}
        kept = [
            replace(one, **given, **{key: value for key, value in said.items() if value})
            if id(one) in again
            else one
            for one in known
        ]
        renewed = {(one.file, one.mutant) for one in kept}
        added = [
            replace(one, **given, **said)
            for one in self._new.values()
            if not any(f == one.file and one.mutant.startswith(m) for f, m in renewed)
        ]
        text = written([*kept, *added])
        write_file(self._path, text, _WAY_OUT)
        console.message(
            f"{counted(len(added), 'gap')} added to {visible(str(self._path))},"
            f" {len(again)} renewed, {len(self._stale)} removed"
            + (f", {len(known) - len(again)} left as they were" if len(known) > len(again) else "")
        )
        if added and not reason:
            console.message("baseline: it does not say why they are accepted (--reason)")
        fresh = AcceptedGaps(self._path, [*kept, *added], self._today)
        return fresh.applied(results, lambda _: Options())

    def conclude(self, console: Console) -> None:
        """Report the entries of the baseline that no longer count."""
        for noun, found in (
            ("stale", [f"{one.shown}: {visible(gap.how)}" for one, gap in self._stale.items()]),
            ("expired", [f"{one.shown}: {one.expires}" for one in self._expired]),
        ):
            if found:
                gaps = "accepted gap is" if len(found) == 1 else "accepted gaps are"
                console.message(f"baseline: {len(found)} {gaps} {noun} (--update-baseline)")
                for line in found[:_NAMED]:
                    console.message(f"  {line}")
                if len(found) > _NAMED:
                    console.message(f"  … and {len(found) - _NAMED} more")

    def _of_file(self, file: ReportedFile, options: Callable[[str], Options]) -> ReportedFile:
        name = Path(os.path.relpath(file.path, self._path.absolute().parent)).as_posix()
        own = [one for one in self._accepted if one.file == name]
        found: dict[str, Acceptance] = {}
        closed: list[ClosedGap] = []
        placed = {one.mutant.mutant: one for one in file.placed}
        used = used_operators(file, options(file.path)) if own else frozenset()
        for one in own:
            fits = [mutant for mutant in placed if mutant.startswith(one.mutant)]
            gap = _closed(file, one, [placed[mutant] for mutant in fits], used)
            if gap is not None:
                self._stale[one] = gap
                closed.append(gap)
            elif one.expires and one.expires < self._today:
                self._expired += [one] if fits else []
            else:
                way = Disposition(one.disposition or Disposition.JUSTIFY.value)
                kept = Acceptance(one.reason, one.date, one.expires, way)
                found |= {m: kept for m in fits if fate(placed[m].finding) in ACCEPTABLE}
        for mutant, at in placed.items():
            if fate(at.finding) in ACCEPTABLE and mutant not in found:
                self._new[name, mutant] = _gap(file, name, at)
        return replace(file, baseline=found, closed=(*file.closed, *closed))


def read(path: Path) -> tuple[AcceptedGap, ...]:
    """Return the accepted gaps that a file lists.

    Raises:
        UserError: it cannot be read, or has an invalid entry.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _failure(path, f"cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _failure(path, f"is not JSON: {error}") from error
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise _failure(path, f'is no baseline of version {VERSION} ("version": {VERSION})')
    listed = found.get("accepted")
    if not isinstance(listed, list) or found.keys() - {"version", "accepted"}:
        raise _failure(path, 'holds "version" and "accepted", a list, and nothing else')
    return tuple(_read_gap(path, number, one) for number, one in enumerate(listed, start=1))


def written(accepted: Iterable[AcceptedGap]) -> str:
    """Return the text of a baseline, the same for the same gaps; what is empty is left out."""
    ordered = sorted(accepted, key=lambda one: (one.file, one.element, one.operator, one.mutant))
    listed = [
        {field.name: value for field in fields(one) if (value := getattr(one, field.name))}
        for one in ordered
    ]
    value = {"version": VERSION, "accepted": listed}
    return encoding.dumped(value)


def day(text: str) -> str:
    """Return a day as YYYY-MM-DD.

    Raises:
        ValueError: it is none.
    """
    return dt.date.fromisoformat(text).isoformat()


def _read_gap(path: Path, number: int, found: object) -> AcceptedGap:
    known = {field.name for field in fields(AcceptedGap)}
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise _failure(path, f"gap {number} is not an object of texts")
    if found.keys() - known:
        what = ", ".join(sorted(found.keys() - known))
        raise _failure(path, f"gap {number} has keys that there are not: {what}")
    if not {"file", "mutant"} <= found.keys() or len(found["mutant"]) < LEAST_DIGITS:
        message = f"gap {number} needs a file, and a mutant of at least {LEAST_DIGITS} digits"
        raise _failure(path, message)
    ways = [one.value for one in Disposition]
    if (way := found.get("disposition")) and way not in ways:
        message = f"gap {number}: disposition is none of {', '.join(ways)}: {way!r}"
        raise _failure(path, message)
    for key in ("date", "expires"):
        try:
            if found.get(key):
                found[key] = day(found[key])
        except ValueError as error:
            message = f"gap {number}: {key} is not a day such as 2030-12-31: {found[key]!r}"
            raise _failure(path, message) from error
    return AcceptedGap(**found)


def _closed(
    file: ReportedFile,
    one: AcceptedGap,
    fits: Sequence[PlacedMutant],
    used: frozenset[str],
) -> ClosedGap | None:
    """Return what became of an accepted gap that no longer exists; None if it may still exist."""
    fates = {fate(at.finding) for at in fits}
    if fates & (ACCEPTABLE | OPEN) or not file.finished or file.report is None:
        return None
    way: Disposition | None = None
    if fates:
        how = f"now {', '.join(sorted(one.value for one in fates))}"
        if fates == {MutantFate.KILLED}:
            names = dict.fromkeys(name for at in fits for name in at.finding.killed_by)
            how, way = f"killed by {', '.join(names)}", Disposition.PROPERTY
        elif fates == {MutantFate.IGNORED}:
            way = Disposition.JUSTIFY
    else:
        listing = file.listing
        is_part = listing is None or listing.left_out or listing.unconcerned
        # This run tells nothing about operators that it does not use.
        if is_part or (one.operator and one.operator not in used):
            return None
        how = "no such mutant any more"
        if one.element in _elements(file):
            why = "its text changed, or a constant or type that it uses"
            how, way = f"no such mutant of {one.element} any more: {why}", Disposition.MODEL
        elif one.element:
            how, way = f"no {one.element} in the model any more", Disposition.REMOVE
    return ClosedGap(one.mutant[:_SHOWN], one.operator, one.element, one.change, how, way)


def _elements(file: ReportedFile) -> set[str]:
    """Return the names of the elements of a file."""
    mutated = (placed.mutant.element for placed in file.placed)
    return {file.element_name(element) for element in (*file.design, *mutated)}


def _gap(file: ReportedFile, name: str, at: PlacedMutant) -> AcceptedGap:
    mutant = at.mutant
    element = file.element_name(mutant.element)
    return AcceptedGap(name, mutant.mutant, mutant.operator, element, mutant.summary)


def used_operators(file: ReportedFile, options: Options) -> frozenset[str]:
    """Return the mutation operators that a run uses for a file."""
    from mutproof.analyses.mutation.enumerate import chosen_mutators

    if file.language is None:
        return frozenset()
    used = chosen_mutators(options.level, options.operators, file.language.traits.semantics)
    return frozenset(one.name for one in used)


def _today() -> str:
    """Return today's date in UTC, or that of SOURCE_DATE_EPOCH for reproducible builds."""
    named = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = dt.datetime.now(dt.UTC)
    if named.isascii() and named.isdecimal():
        now = dt.datetime.fromtimestamp(int(named), dt.UTC)
    return now.date().isoformat()


def _failure(path: Path, message: str) -> UserError:
    way_out = "--update-baseline writes one"
    return UserError(CODE, f"{path}: {message}", way_out=way_out)
