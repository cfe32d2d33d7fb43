"""Evaluate `mutproof advise` as the study on NuSMV models does: does advice notice mutants?

Usage: python benchmarks/advisor.py [FOLDER] [--files N] [--most-mutants N] [--model-seconds N]
                                    [--jobs N] [--rows FILE]
       python benchmarks/advisor.py --from FILE

Without arguments a small sample of the corpus is measured, or the examples. Each mutant is a row:
what it is (rejected, stillborn, equivalent, different, unknown), and how often each meta-property
is violated before and after the change. The tables are computed from the rows alone, which are
written as they come.

Everything is decided by decision diagrams, without certificates and executions: rows count, they
prove nothing. `mutproof advise` gives the evidence.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

import advisor_tables as tables
import models
from advisor_diagrams import QUESTION_S, Asked, ProcessorDeadline, Structure, alike
from advisor_tables import NAMES, OPERATORS, Row, Stratum

from mutproof.analyses.advising.advice import AdviceStatus
from mutproof.analyses.advising.advise import advise
from mutproof.analyses.advising.question import ModelAnswer, ModelQuestion
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.analyses.claims.records import KnownObligations
from mutproof.analyses.deciding.refusals import Refusals
from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants, mutated_bodies
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.sample import sampled
from mutproof.base.budget import Budget
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model import walk
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import ElementId, ElementKind, Program, PropertyKind
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Path as TermPath
from mutproof.model.terms import Term, at
from mutproof.model.traits import Semantics
from mutproof.solving.bdd.check import attempted
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.verdict import Holding, Undecided, Violated
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.advising import subject_of

FILES = 12
MOST_MUTANTS = 20
MODEL_S = 60.0
NOTHING: tuple[int | None, ...] = (None,) * len(NAMES)
_STATED = {ElementKind.INIT, ElementKind.TRANS}
_VERDICTS = {Holding: PropertyVerdict.PROVED, Violated: PropertyVerdict.FALSIFIED}
_VERDICTS[Undecided] = PropertyVerdict.UNKNOWN


@dataclass
class Spent:
    """Add up seconds of the processor, and keep those of each comparison."""

    advice_s: float = 0.0
    comparisons_s: list[float] = field(default_factory=list)


class Evaluated:
    """Evaluate one model and its mutants, all with one manager of diagrams."""

    def __init__(self, found: Elaborated, program: Program, spent: Spent) -> None:
        self._found = found
        self._program = program
        self._spent = spent
        budget = Budget(10_000_000, QUESTION_S)
        self._means = Means(budget, SpacerProcess(), Benches(), lambda: None)
        self._hidden = _hidden(found, program)
        self._asked = Asked(program)
        self._manager = Manager(ProcessorDeadline.after(QUESTION_S))

    def rows(self, most: int, model_s: float = math.inf) -> Iterator[Row]:
        """Yield a row for each of a sample of the mutants; none of a model without states.

        What is left after `model_s` seconds of the processor is unknown.
        """
        end = ProcessorDeadline.after(model_s)
        model = self._structure(self._asked, None)
        if model is None or model.ends:
            return
        self._model = model
        stratum = self._stratum()
        before = self._counts(self._program, self._asked, model)
        chosen = chosen_mutators("all", OPERATORS, Semantics.RELATIONAL)
        everything = mutants(self._program, self._found.provenance, chosen)
        known = KnownObligations()
        refusals = Refusals(self._program, known, self._means)
        for mutant in sampled(everything, most):
            kind, after = tables.REJECTED, NOTHING
            if not refusals.of(mutated_bodies(self._program, mutant)).reason:
                kind, after = (tables.UNKNOWN, NOTHING) if end.passed() else self._mutant(mutant)
            yield Row(stratum, mutant.operator, mutant.shown, kind, before, after)

    def _stratum(self) -> Stratum:
        """Return what kind of model this is."""
        name = Path(self._found.parsed.source.name).name
        stated = {one.kind for one in self._program.elements()} & _STATED
        style = tables.DECLARATIVE if stated else tables.OPERATIONAL
        return Stratum(name, style, len(self._asked.properties), self._model.number_of_bits())

    def _mutant(self, mutant: Mutant) -> tuple[str, tuple[int | None, ...]]:
        changed = self._program.with_bodies(mutated_bodies(self._program, mutant))
        try:
            asked = Asked(changed)
        except (NoCommonSort, NumberTooLarge):
            return tables.REJECTED, NOTHING
        started = time.process_time()
        structure = self._structure(asked, self._model)
        kind = tables.UNKNOWN if structure is None else self._kind(structure)
        self._spent.comparisons_s.append(time.process_time() - started)
        if structure is None or kind == tables.UNKNOWN:
            return kind, NOTHING
        return kind, self._counts(changed, asked, structure)

    def _structure(self, asked: Asked, like: Structure | None) -> Structure | None:
        """Return a system as diagrams; None if that takes too long, or it is not finite.

        Reachable states are found if it is not `like` another one.
        """
        found: list[Structure] = []

        def build() -> None:
            structure = Structure(self._manager, asked.system, like)
            if like is None:
                structure.reachable  # noqa: B018 - kept, so it has to be there within the time
            found.append(structure)

        self._manager.deadline = ProcessorDeadline.after(QUESTION_S)
        attempted(build)
        return found[0] if found else None

    def _kind(self, structure: Structure) -> str:
        """Return what a mutant is."""
        found: list[str] = []

        def decide() -> None:
            if alike(self._model, structure, self._asked.labels):
                structure.follow(self._model)
                found.append(tables.EQUIVALENT)
            else:
                found.append(tables.STILLBORN if structure.ends else tables.DIFFERENT)

        self._manager.deadline = ProcessorDeadline.after(QUESTION_S)
        attempted(decide)
        return found[0] if found else tables.UNKNOWN

    def _counts(
        self, program: Program, asked: Asked, structure: Structure
    ) -> tuple[int | None, ...]:
        """Return how often each meta-property is violated; None: not known."""
        started = time.process_time()
        subject = subject_of(self._found, program, self._verdicts(program, asked, structure))
        subject = replace(subject, quote=self._quote(program), print_term=lambda _: "")

        def answers(
            _program: Program, questions: Sequence[ModelQuestion], _means: Means
        ) -> Mapping[ModelQuestion, ModelAnswer]:
            self._manager.deadline = ProcessorDeadline.after(QUESTION_S)
            return asked.answers(structure, questions)

        found = advise(subject, NAMES, self._means, restated=True, answer=answers)
        self._spent.advice_s += time.process_time() - started
        unknown = {one.meta_property for one in found.of(AdviceStatus.UNKNOWN)}
        if "MP9" in unknown:
            unknown.add("MP10")  # which asks about properties that are true
        said = [one.meta_property for one in found.of(AdviceStatus.FOUND)]
        return tuple(None if name in unknown else said.count(name) for name in NAMES)

    def _verdicts(
        self, program: Program, asked: Asked, structure: Structure
    ) -> dict[str, PropertyFinding]:
        self._manager.deadline = ProcessorDeadline.after(QUESTION_S)
        known = asked.properties.items()
        stated = {name: one for name, one in known if one.kind is not PropertyKind.COMPUTE}
        kinds = dict.fromkeys(asked.properties, PropertyVerdict.COMPUTED)
        for name, verdict in structure.verdicts(stated, asked.inputs).items():
            kinds[name] = _VERDICTS[type(verdict)]
        main = program.main
        return {name: PropertyFinding(name, main, name, kind) for name, kind in kinds.items()}

    def _quote(self, program: Program) -> Callable[[ElementId, TermPath], str]:
        """Return some text for what is written; a mutant has no places of its own."""

        def quote(element: ElementId, path: TermPath) -> str:
            if not path:
                return "?"
            body = program.by_id[element][0].body
            return "" if at(body, path[:-1]) in self._hidden else "?"

        return quote


def _hidden(found: Elaborated, program: Program) -> frozenset[Term]:
    """Return the conditionals that are the meaning of functions, and not in the text."""
    subject: AdviceSubject = subject_of(found, program, {})
    hidden: set[Term] = set()
    for place in subject.elements():
        is_written = subject.is_written(place.element.id)
        for path, term in walk.occurrences(place.element.body):
            if term.op in {Op.ITE, Op.CASE} and not is_written(path, term):
                hidden.add(term)
    return frozenset(hidden)


# --- structures -----------------------------------------------------------------------------------


def same_structure(model: TransitionSystem, changed: TransitionSystem) -> bool | None:
    """Tell whether two systems have the same first states, and steps from reachable ones."""
    found: list[bool] = []

    def decide() -> None:
        here = Structure(Manager(ProcessorDeadline.after(QUESTION_S)), model)
        found.append(alike(here, Structure(here.manager, changed, here)))

    attempted(decide)
    return found[0] if found else None


# --- the command ----------------------------------------------------------------------------------


def texts(folder: Path | None, count: int) -> list[models.Text]:
    """Return NuSMV models of a folder or of the corpus, spread over their sizes."""
    if folder is None:
        found = list(models.finite())
    else:
        paths = sorted(folder.rglob("*.smv"), key=lambda path: (path.stat().st_size, path.name))
        found = [models.Text(path.name, path.read_text(errors="replace")) for path in paths]
    found = [text for text in found if len(text.content) < 20_000]
    step = max(1, len(found) // count) if count else 1
    return found[::step][: count or None]


def _apart(text: models.Text, most: int, model_s: float) -> tuple[list[Row], Spent]:
    """Evaluate one model in a process of its own."""
    spent = Spent()
    return evaluated(text, most, spent, model_s), spent


def everything(
    chosen: Sequence[models.Text], most: int, model_s: float, jobs: int
) -> Iterator[tuple[models.Text, list[Row], Spent]]:
    """Yield the rows of each model when they are there, `jobs` models at a time, largest first."""
    with ProcessPoolExecutor(jobs) as pool:
        largest_first = sorted(chosen, key=lambda text: -len(text.content))
        made = {pool.submit(_apart, text, most, model_s): text for text in largest_first}
        for one in as_completed(made):
            yield made[one], *one.result()


def evaluated(text: models.Text, most: int, spent: Spent, model_s: float = math.inf) -> list[Row]:
    """Return the rows of one model; none where it is no finite model."""
    language = LANGUAGES["nusmv"]
    found = language.elaborate(language.parse(SourceText(text.name, text.content)))
    if found.program is None:
        return []
    return list(Evaluated(found, found.program, spent).rows(most, model_s))


def measured(arguments: argparse.Namespace) -> list[Row]:
    """Evaluate models, write their rows, and print tables and times."""
    rows: list[Row] = []
    comparisons_s: list[float] = []
    advice_s, started = 0.0, time.monotonic()
    chosen = texts(arguments.folder, arguments.files)
    limits = arguments.most_mutants, arguments.model_seconds
    with open(arguments.rows or os.devnull, "w", encoding="utf-8") as out:
        print(",".join(tables.COLUMNS), file=out)
        for text, made, spent in everything(chosen, *limits, arguments.jobs):
            rows += made
            advice_s += spent.advice_s
            comparisons_s += spent.comparisons_s
            print(tables.written(made), file=out, end="", flush=True)
            print(f"{text.name}: {len(made)} mutants", file=sys.stderr, flush=True)
    print(tables.tables(rows))
    if comparisons_s:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor_s = used.ru_utime + used.ru_stime
        print(f"{time.monotonic() - started:.0f} s, {processor_s:.0f} s of the processor, of which")
        print(f"{advice_s:.0f} s for advice; {1000 * statistics.median(comparisons_s):.2f} ms for")
        print(f"an equivalence (median), {1000 * processor_s / len(rows):.1f} ms for a mutant")
    return rows


def main() -> int:
    """Measure and print; 1 where rows contradict each other."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="default: the corpus")
    parser.add_argument("--files", type=int, default=FILES, help="0: all")
    parser.add_argument("--most-mutants", type=int, default=MOST_MUTANTS, help="0: all")
    parser.add_argument("--model-seconds", type=float, default=MODEL_S, help="of the processor")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="models at a time")
    parser.add_argument("--rows", type=Path, help="write the rows into a file")
    parser.add_argument("--from", dest="known", type=Path, help="tables of rows written before")
    arguments = parser.parse_args()
    if arguments.known is not None:
        rows = tables.read(arguments.known.read_text(encoding="utf-8"))
        print(tables.tables(rows))
    else:
        rows = measured(arguments)
    wrong = tables.contradictions(rows)
    for line in wrong:
        print(f"contradiction: {line}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
