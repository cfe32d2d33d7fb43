"""Evaluate `mutproof advise` as the study on NuSMV models does: does advice notice mutants?

Usage: python benchmarks/advisor.py [FOLDER] [--files N] [--most-mutants N] [--rows FILE]
       python benchmarks/advisor.py --from FILE

Without arguments a small sample of the corpus is measured, or the examples. Each mutant is a row:
what it is (rejected, stillborn, equivalent, different, unknown), and how often each meta-property
is violated before and after the change. The tables are computed from the rows alone.

Everything is decided by decision diagrams, without certificates and executions: rows count, they
prove nothing. `mutproof advise` gives the evidence.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import advisor_tables as tables
import models
from advisor_tables import NAMES, OPERATORS, Row

from mutproof.analyses.advising import asking
from mutproof.analyses.advising.advice import AdviceStatus
from mutproof.analyses.advising.advise import advise
from mutproof.analyses.advising.question import AnswerKind, ModelAnswer, ModelQuestion
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.analyses.claims.records import KnownObligations
from mutproof.analyses.deciding.refusals import Refusals
from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants, mutated_bodies
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.sample import sampled
from mutproof.base.budget import Budget, Deadline
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model import walk
from mutproof.model.interpretation import interpretation
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import ElementId, Program
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.system import SystemVariableKind, TransitionSystem
from mutproof.model.terms import Path as TermPath
from mutproof.model.terms import Term, at, var
from mutproof.model.traits import Semantics
from mutproof.solving import bdd
from mutproof.solving.bdd.check import attempted
from mutproof.solving.bdd.encode import Encoded, Encoder
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.relation import Machine, machine
from mutproof.solving.bdd.tables import Table
from mutproof.solving.bdd.verdict import Computed, Holding, Undecided, Violated
from mutproof.solving.bdd.words import Word
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.advising import subject_of

FILES = 12
MOST_MUTANTS = 20
QUESTION_S = 2.0
"""The seconds that diagrams may take for one mutant, for each kind of question."""

_VERDICTS = {Holding: PropertyVerdict.PROVED, Violated: PropertyVerdict.FALSIFIED}
_VERDICTS |= {Computed: PropertyVerdict.COMPUTED, Undecided: PropertyVerdict.UNKNOWN}


@dataclass
class Spent:
    """Add up seconds, and keep those of each comparison."""

    advice_s: float = 0.0
    comparisons_s: list[float] = field(default_factory=list)


class Evaluated:
    """Evaluate one model and its mutants."""

    def __init__(self, found: Elaborated, program: Program, spent: Spent) -> None:
        self._found = found
        self._program = program
        self._spent = spent
        budget = Budget(10_000_000, QUESTION_S)
        self._means = Means(budget, SpacerProcess(), Benches(), lambda: None)
        self._system = interpretation(program).system()
        self._hidden = _hidden(found, program)

    def rows(self, most: int) -> Iterator[Row]:
        """Yield a row for each of a sample of the mutants; none of a model without states."""
        if _is_stillborn(self._system) is not False:
            return
        name = Path(self._found.parsed.source.name).name
        before = self._counts(self._program)
        chosen = chosen_mutators("all", OPERATORS, Semantics.RELATIONAL)
        everything = mutants(self._program, self._found.provenance, chosen)
        known = KnownObligations()
        refusals = Refusals(self._program, known, self._means)
        nothing: tuple[int | None, ...] = (None,) * len(NAMES)
        for mutant in sampled(everything, most):
            kind, after = tables.REJECTED, nothing
            if not refusals.of(mutated_bodies(self._program, mutant)).reason:
                kind, after = self._mutant(mutant)
            yield Row(name, mutant.operator, mutant.shown, kind, before, after)

    def _mutant(self, mutant: Mutant) -> tuple[str, tuple[int | None, ...]]:
        changed = self._program.with_bodies(mutated_bodies(self._program, mutant))
        try:
            system = interpretation(changed).system()
        except (NoCommonSort, NumberTooLarge):
            return tables.REJECTED, (None,) * len(NAMES)
        started = time.monotonic()
        kind = _kind(self._system, system)
        self._spent.comparisons_s.append(time.monotonic() - started)
        return kind, self._counts(changed)

    def _counts(self, program: Program) -> tuple[int | None, ...]:
        """Return how often each meta-property is violated; None: not known."""
        started = time.monotonic()
        properties = _verdicts(program)
        subject = subject_of(self._found, program, properties)
        subject = replace(subject, quote=self._quote(program), print_term=lambda _: "")
        found = advise(subject, NAMES, self._means, restated=True, answer=answers)
        self._spent.advice_s += time.monotonic() - started
        unknown = {one.meta_property for one in found.of(AdviceStatus.UNKNOWN)}
        said = [one.meta_property for one in found.of(AdviceStatus.FOUND)]
        return tuple(None if name in unknown else said.count(name) for name in NAMES)

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


def answers(
    program: Program, questions: Sequence[ModelQuestion], means: Means
) -> Mapping[ModelQuestion, ModelAnswer]:
    """Answer by diagrams alone, without evidence."""
    stated, names = asking.stating(program, questions)
    system = asking.without_memories(interpretation(stated).system())
    verdicts = bdd.check(system, tuple(names), Deadline.after(means.budget.timeout_s))
    return {question: _answer(verdicts[name]) for name, question in names.items()}


def _answer(verdict: bdd.BddVerdict) -> ModelAnswer:
    match verdict:
        case Holding():
            return ModelAnswer(AnswerKind.HOLDS)
        case Violated(trace=trace):
            return ModelAnswer(AnswerKind.FAILS, trace=trace)
        case _:
            return ModelAnswer(AnswerKind.UNKNOWN, reason="diagrams")


def _verdicts(program: Program) -> dict[str, PropertyFinding]:
    system = interpretation(program).system()
    names = tuple(stated.name for stated in system.properties)
    found = bdd.check(system, names, Deadline.after(QUESTION_S))
    return {
        name: PropertyFinding(name, program.main, name, _VERDICTS[type(verdict)])
        for name, verdict in found.items()
    }


# --- structures -----------------------------------------------------------------------------------


def _is_stillborn(system: TransitionSystem) -> bool | None:
    """Tell whether no state is initial or some reachable one has no successor; None: unknown."""
    found: list[bool] = []

    def decide() -> None:
        found.append(_ends(machine(Encoder(Manager(Deadline.after(QUESTION_S)), system))))

    attempted(decide)
    return found[0] if found else None


def _ends(one: Machine) -> bool:
    """Tell whether no state is initial or some reachable one has no successor."""
    reachable = one.manager.disjunction(one.layers(one.initial))
    goes_on = one.with_any_input(one.before(one.invariant))
    stuck = reachable & ~goes_on
    return one.initial == one.manager.false or stuck != one.manager.false


def _kind(model: TransitionSystem, changed: TransitionSystem) -> str:
    """Return what a mutant is; its diagrams are made once for both questions."""
    found: list[str] = []

    def decide() -> None:
        manager = Manager(Deadline.after(QUESTION_S))
        there = machine(Encoder(manager, changed))
        if _ends(there):
            found.append(tables.STILLBORN)
            return
        manager.deadline = Deadline.after(QUESTION_S)
        same = _alike(machine(Encoder(manager, model)), there)
        found.append(tables.EQUIVALENT if same else tables.DIFFERENT)

    attempted(decide)
    return found[0] if found else tables.UNKNOWN


def same_structure(model: TransitionSystem, changed: TransitionSystem) -> bool | None:
    """Tell whether two systems have the same first states, and steps from reachable ones."""
    found: list[bool] = []

    def decide() -> None:
        manager = Manager(Deadline.after(QUESTION_S))
        here, there = (machine(Encoder(manager, one)) for one in (model, changed))
        found.append(_alike(here, there))

    attempted(decide)
    return found[0] if found else None


def _alike(here: Machine, there: Machine) -> bool:
    """Tell whether two machines have the same first states, and steps from reachable ones."""
    pair = (here, there)
    if here.encoder.codings.keys() != there.encoder.codings.keys():
        here, there = (_with_all_bits(one.encoder.system, pair) for one in pair)
    return _same(here, there)


def _with_all_bits(system: TransitionSystem, pair: Sequence[Machine]) -> Machine:
    """Return a system as diagrams in which equations are constraints on bits, as all others."""
    defined = {
        name
        for name, variable in system.variables.items()
        if variable.kind is not SystemVariableKind.DEFINED
    }
    constraints = tuple(
        replace(one, defines=None) if one.defines in defined else one for one in system.constraints
    )
    return machine(Encoder(pair[0].manager, replace(system, constraints=constraints)))


def _same(here: Machine, there: Machine) -> bool:
    manager = here.manager
    if here.initial != there.initial:
        return False
    reachable = manager.disjunction(here.layers(here.initial))
    if not _agree(here, there, reachable):
        return False
    return _steps(here, reachable) == _steps(there, reachable)


def _steps(one: Machine, reachable: Diagram) -> Diagram:
    """Return the steps from reachable states as one diagram."""
    found = reachable & one.invariant & one.relation.shifted(one.invariant)
    for part in one.relation.parts:
        found = found & part
    return found


def _agree(here: Machine, there: Machine, reachable: Diagram) -> bool:
    """Tell whether variables that equations define, and have no bits, have the same values."""
    manager = here.manager
    for name, variable in here.encoder.system.variables.items():
        if variable.kind is SystemVariableKind.DEFINED or name not in here.encoder.definitions:
            continue
        term = var(name, variable.sort)
        one, other = here.encoder.value(term), there.encoder.value(term)
        if reachable & _differing(manager, one, other) != manager.false:
            return False
    return True


def _differing(manager: Manager, one: Encoded, other: Encoded) -> Diagram:
    if isinstance(one, Table) and isinstance(other, Table):
        values = dict.fromkeys((*one.entries, *other.entries))
        false = manager.false
        return manager.disjunction(
            manager.xor(one.entries.get(v, false), other.entries.get(v, false)) for v in values
        )
    if isinstance(one, Word) and isinstance(other, Word):
        bits = zip(one.bits, other.bits, strict=True)
        return manager.disjunction(manager.xor(a, b) for a, b in bits)
    assert not isinstance(one, Table | Word)
    assert not isinstance(other, Table | Word)
    return manager.xor(one, other)


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


def evaluated(text: models.Text, most: int, spent: Spent) -> list[Row]:
    """Return the rows of one model; none where it is no finite model."""
    language = LANGUAGES["nusmv"]
    found = language.elaborate(language.parse(SourceText(text.name, text.content)))
    if found.program is None:
        return []
    return list(Evaluated(found, found.program, spent).rows(most))


def main() -> int:
    """Measure and print; 1 where rows contradict each other."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="default: the corpus")
    parser.add_argument("--files", type=int, default=FILES, help="0: all")
    parser.add_argument("--most-mutants", type=int, default=MOST_MUTANTS, help="0: all")
    parser.add_argument("--rows", type=Path, help="write the rows into a file")
    parser.add_argument("--from", dest="known", type=Path, help="tables of rows written before")
    arguments = parser.parse_args()
    spent = Spent()
    started = time.monotonic()
    if arguments.known is not None:
        rows = tables.read(arguments.known.read_text(encoding="utf-8"))
    else:
        rows = []
        for text in texts(arguments.folder, arguments.files):
            made = evaluated(text, arguments.most_mutants, spent)
            rows += made
            print(f"{text.name}: {len(made)} mutants", file=sys.stderr, flush=True)
    if arguments.rows is not None:
        arguments.rows.write_text(tables.written(rows), encoding="utf-8")
    print(tables.tables(rows))
    if spent.comparisons_s:
        median = 1000 * statistics.median(spent.comparisons_s)
        print(f"{time.monotonic() - started:.0f} s, {spent.advice_s:.0f} s of it for advice;")
        print(f"{median:.1f} ms for an equivalence (median)")
    wrong = tables.contradictions(rows)
    for line in wrong:
        print(f"contradiction: {line}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
