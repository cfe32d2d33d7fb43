"""An annotated text as an editor sees it: its meaning, its names, its verdicts, in few words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from notation import NotationError

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, Origin, PropertyFinding
from mutproof.base.budget import Budget
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import names as naming
from mutproof.ide.placed import ShownMutant
from mutproof.ide.verdicts import Verdicts
from mutproof.model.language import Elaborated, Language
from mutproof.runtime import messages
from mutproof.workspace import report as reports
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Snapshot

QUERIES = Queries()
WORDS = ("verdicts", "mutants", "problems", "lenses", "inlays", "folds", "outline", "colours")
STATES = ("accepted", "running", "stale")
SETTINGS = ("level", "operators", "equivalence", "core_search", "rlimit")


@dataclass(frozen=True)
class Seen:
    """Hold an annotated text as an editor sees it; `words` is what is asked of the block."""

    language: Language
    source: SourceText
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = [w for w in self.plain if w not in WORDS and w not in STATES]
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
        """Return the verdicts of a real run, as they come from a worker."""
        meaning, options = self.elaborated, self.options
        if meaning.program is None:
            raise NotationError("has no program to be analysed")
        report = reports.started(reports.FileReport(), reports.basis(meaning.program, options))
        report = reports.listed(report, QUERIES.listing(self.language.name, meaning, options))
        if "running" not in self.plain:
            events: list[Event] = []
            analyse(meaning, options, Memory(), events.append, cancelled=lambda: False)
            crossed = [messages.CODEC.decode(messages.CODEC.encode(event)) for event in events]
            if crossed != events:
                raise NotationError("not every finding crosses from a worker as it is")
            timeless = map(without_way, crossed)
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


def without_way(event: Event) -> Event:
    """Return a finding without the seconds it took, and for a mutant without the way to it."""
    if isinstance(event, PropertyFinding):
        return replace(event, seconds=0.0, origin=Origin.DECIDED)
    if isinstance(event, MutantFinding):
        return replace(event, seconds=0.0, how="", k=None)
    return event


def mutant_text(mutant: ShownMutant) -> str:
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


def operator(mutant: ShownMutant) -> str:
    """Return the operator of a mutant, and what it makes of it where that can be told shortly."""
    made = mutant.label.rpartition("→ ")[2] if "→" in mutant.label else ""
    name = mutant.record.operator
    return f"{name} {made}" if made and name.isupper() else name
