"""Compare the product with the second evaluator on one Lustre text: values, verdicts, mutants."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.budget import Budget
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.language import Elaborated
from mutproof.model.lower import Lowering
from mutproof.model.program import Element, ElementId, ElementKind, Program
from mutproof.model.trace import Choices, Trace
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.lustre_minimal import minimal
from support.lustre_models import choices_of, elaborated
from support.lustre_mutants import bodies, mutated_text, program_of
from support.lustre_trials import ALL, Feature, random_text
from support.solved_choices import solved_choices
from support.tree_lustre import NoOrderError, Path, Place, Places, Scalar, leaves
from support.tree_lustre_exhaustive import all_runs
from support.tree_lustre_random import interesting, random_run
from support.tree_lustre_replay import Changed, Names, replayed, suffix
from support.tree_lustre_run import Run
from support.tree_lustre_text import ModelText, Tree, read

STEPS = 5
EXECUTIONS = 4
"""How many executions are compared value by value."""
TRIED = 40
"""How many random executions try to refute each claim that something always holds.

Twice as many are tried in order: all there are, for the smallest models.
"""
MUTANTS = 8
CORES = 4
"""How many cores of each property are compared at most."""
EVERY = 5
"""Mutants are decided for one text out of this many, removals also where calls are equal."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Say where the product and the second evaluator do not agree."""

    kind: str
    text: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}\n{self.text}"


def text_of(seed: int, features: frozenset[Feature] = ALL) -> str:
    """Return the text of a seed."""
    return random_text(random.Random(f"lustre {seed}"), features)


def differences(
    seed: int, features: frozenset[Feature] = ALL, *, every: int = EVERY
) -> list[Difference]:
    """Return the differences on the random text of a seed."""
    text = text_of(seed, features)
    return [smallest(found, seed) for found in compare(text, seed, mutate=seed % every == 0)]


def smallest(found: Difference, seed: int) -> Difference:
    """Return the same kind of difference on a smaller text, for one that needs no mutant."""
    if found.kind not in {"value", "assumed", "proved", "counterexample"}:
        return found

    def same(text: str) -> list[Difference]:
        return [d for d in compare(text, seed, mutate=False) if d.kind == found.kind]

    return (same(minimal(found.text, lambda text: bool(same(text)))) or [found])[0]


def compare(text: str, seed: int, *, mutate: bool) -> list[Difference]:
    """Return the differences on a text."""
    return list(_Comparison(text, seed).all(mutate=mutate))


@dataclass(frozen=True, slots=True)
class _Subject:
    """Hold a mutant: its tree, what its text means, and the program that was decided."""

    model: ModelText
    elaborated: Elaborated
    program: Program
    shown: str
    changed: Changed


class _Comparison:
    def __init__(self, text: str, seed: int) -> None:
        self.text = text
        self.seed = seed
        self.source = random.Random(f"comparison {seed}")
        self.elaborated = elaborated(text)
        self.model = read(text)
        self.values = interesting(self.model)

    def said(self, kind: str, detail: str, text: str | None = None) -> Difference:
        return Difference(kind, text or self.text, detail)

    def all(self, *, mutate: bool) -> Iterator[Difference]:
        errors = [d for d in self.elaborated.diagnostics if d.severity.value == "error"]
        if errors:
            yield self.said("refused", "; ".join(error.message for error in errors))
            return
        found = list(self.executions())
        yield from found
        if found:
            return
        options = Options(
            level="all",
            cores=False,
            mutate=mutate,
            budget=Budget(rlimit=3_000_000, timeout_s=2.0),
            timeout_s=20.0,
            equivalence="outputs" if mutate else "",
            most_mutants=MUTANTS,
        )
        report = analyse(
            self.elaborated, options, Memory(), lambda _: None, cancelled=lambda: False
        )
        proved = []
        for finding in report.properties:
            yield from self.property(finding)
            if finding.verdict is PropertyVerdict.PROVED:
                proved.append(finding.name)
        yield from self.proofs(proved)
        if mutate or Lowering(program_of(self.elaborated)).sharing.links:
            yield from self.removals()
        if mutate:
            mutants = {m.id: m for m in enumerate_mutants(self.elaborated, options)}
            for decided in report.mutants:
                yield from self.mutant(mutants[decided.mutant], decided, proved)

    # --- values ---------------------------------------------------------------------------

    def executions(self) -> Iterator[Difference]:
        """Compare the values of all variables on random choices."""
        system = Lowering(program_of(self.elaborated)).system()
        evaluator = Evaluator(program_of(self.elaborated))
        restricted = any(c.defines is None for c in system.constraints)
        for number in range(EXECUTIONS):
            choices = solved_choices(self.source, system, STEPS) if number and restricted else None
            choices = choices or choices_of(self.source, system, STEPS)
            try:
                execution = evaluator.run(choices)
            except InstantaneousLoop:
                return
            steps = execution.trace.steps
            run, names = replayed(self.model, self.elaborated, choices, steps)
            free = {name for row in choices.steps for name in row}
            main = run.places.main.node
            if any(re.split(r"[.[]", name)[0] not in dict(main.inputs) for name in free):
                wanted = self.solved(run, names, execution.trace)
            else:
                wanted = all(run.admitted(step) for step in range(STEPS))
                if found := self.unequal(run, names, execution.trace):
                    yield self.said("value", f"{found} on {choices}")
            if wanted != execution.assumed:
                yield self.said("assumed", f"{wanted}, not {execution.assumed} on {choices}")

    def solved(self, run: Run, names: Names, trace: Trace) -> bool:
        """Tell whether an execution of a model with loops is one."""
        try:
            admitted = all(run.admitted(step) for step in range(STEPS))
            return admitted and not self.unequal(run, names, trace)
        except NoOrderError:
            return False

    def unequal(self, run: Run, names: Names, trace: Trace) -> str:
        """Return a variable that has another value; empty for none."""
        for step, row in enumerate(trace.steps):
            expected = {
                (place.name, name, path): value for place, name, path, value in run.variables(step)
            }
            for prefix, place in names.of.items():
                for name, kind in place.types.items():
                    for path, _ in leaves(kind):
                        flat = prefix + name + suffix(kind, path)
                        wanted = expected.get((place.name, name, path))
                        if wanted != row.get(flat):
                            return f"{flat} at step {step}: {wanted}, not {row.get(flat)}"
        return ""

    # --- verdicts -------------------------------------------------------------------------

    def property(self, finding: PropertyFinding) -> Iterator[Difference]:
        """Replay a counterexample."""
        if finding.verdict is not PropertyVerdict.FALSIFIED or finding.trace is None:
            return
        last = finding.trace.length - 1
        run, names = replayed(
            self.model, self.elaborated, finding.trace.choices, finding.trace.steps
        )
        prefix = finding.name.removesuffix(finding.declared)
        fails = first_failure(run, names.of[prefix], finding.declared, last)
        if fails != last:
            detail = f"{finding.name} fails at {fails}, not at {last}, on {finding.trace}"
            yield self.said("counterexample", detail)

    def proofs(self, proved: Sequence[str]) -> Iterator[Difference]:
        """Try to refute what was proved."""
        if not proved:
            return
        prefixes = prefixes_of(self.model, self.elaborated)
        for run in self.runs(self.model, TRIED):
            found = refuted(run, proved, prefixes)
            if found:
                yield self.said("proved", f"{found} in the execution {inputs(run)}")
                return

    def runs(self, model: ModelText, count: int) -> Iterator[Run]:
        """Yield random executions, and all short ones of a model that has few."""
        places = Places(model)
        for number in range(count):
            yield random_run(model, self.seed * TRIED + number, self.values, places)
        yield from all_runs(model, 2 * count, places=places)

    # --- mutants --------------------------------------------------------------------------

    def removals(self) -> Iterator[Difference]:
        """Try to refute what is said to hold without some elements, and what must be there."""
        options = Options(
            level="all",
            operators=("equation_remove",),
            core_search="all",
            core_limit=CORES,
            budget=Budget(rlimit=3_000_000, timeout_s=2.0),
            timeout_s=20.0,
            core_seconds=5.0,
        )
        report = analyse(
            self.elaborated, options, Memory(), lambda _: None, cancelled=lambda: False
        )
        mutants = {m.id: m for m in enumerate_mutants(self.elaborated, options)}
        proved = [f for f in report.properties if f.verdict is PropertyVerdict.PROVED]
        killing: dict[ElementId, set[str]] = {}
        for decided in report.mutants:
            mutant = mutants[decided.mutant]
            if decided.status is not MutantStatus.UNKNOWN:
                killing[mutant.element] = set(decided.killed_by)
            yield from self.mutant(mutant, decided, [f.name for f in proved])
        prefixes = prefixes_of(self.model, self.elaborated)
        for finding in proved:
            cores = finding.cores
            if cores is None or finding.vacuity:
                continue
            # A property of a called node is lost with the call.
            exact = cores.complete and finding.component == self.model.main
            for element in cores.must if exact else ():
                if finding.name not in killing.get(element, {finding.name}):
                    yield self.said("must", f"{element} for {finding.name}, and its removal")
            for core in cores.cores:
                kept = {*core, *self.stating(finding)}
                program = program_of(self.elaborated)
                gone = [e for e in program.elements() if e.id not in kept]
                model = self.without(gone)
                for run in self.runs(model, TRIED // 4):
                    if found := refuted(run, [finding.name], prefixes):
                        yield self.said("core", f"{found} with {core} in {inputs(run)}")
                        break

    def stating(self, finding: PropertyFinding) -> Iterator[ElementId]:
        """Yield the equation of a property."""
        base = re.split(r"[.[]", finding.declared)[0]
        component = program_of(self.elaborated).component(finding.component)
        for element in component.elements:
            if finding.declared in element.targets or base in element.targets:
                yield element.id

    def mutant(
        self, mutant: Mutant, finding: MutantFinding, proved: Sequence[str]
    ) -> Iterator[Difference]:
        """Compare the verdict on a mutant with executions of its text."""
        text = mutated_text(self.elaborated, mutant)
        changed = self.elaborated if text is None else elaborated(text)
        if finding.status is MutantStatus.STILLBORN or changed.program is None:
            return
        gone = program_of(self.elaborated).by_id[mutant.element]
        model = self.without(gone) if text is None else read(text)
        shown = (
            f"-- mutant: {mutant.element} {mutant.operator} {mutant.summary}\n{text or self.text}"
        )
        if finding.status is MutantStatus.KILLED and finding.trace is not None:
            program = program_of(self.elaborated)
            if text is not None:
                program = program.with_bodies(bodies(program, mutant))
            other = program_of(self.elaborated), bodies(program_of(self.elaborated), mutant)
            subject = _Subject(model, changed, program, shown, other)
            yield from self.killed(finding, subject)
        elif finding.status is MutantStatus.SURVIVED:
            prefixes = prefixes_of(model, changed)
            for run in self.runs(model, TRIED // 4):
                found = refuted(run, proved, prefixes)
                if found:
                    yield self.said("survived", f"{found} in {inputs(run)}", shown)
                    return
            equivalence = finding.equivalence
            if equivalence is not None and equivalence.status is EquivalenceStatus.EQUIVALENT:
                yield from self.equivalent(model, proved, shown)

    def without(self, elements: Iterable[Element]) -> ModelText:
        """Return the tree of the text without some elements."""
        model = read(self.text)
        for element in elements:
            node = model.nodes[element.id.component]
            if element.kind is ElementKind.ASSERT:
                span = self.elaborated.provenance.body(element.id)
                node.asserts = [t for t in node.asserts if not span.start <= t.start < span.end]
            else:
                node.equations = [e for e in node.equations if tuple(e[0]) != element.targets]
        return model

    def killed(self, finding: MutantFinding, subject: _Subject) -> Iterator[Difference]:
        assert finding.trace is not None
        last = finding.trace.length - 1
        run, names = replayed(
            subject.model,
            subject.elaborated,
            finding.trace.choices,
            finding.trace.steps,
            subject.program,
            subject.changed,
        )
        failing = []
        for name in finding.killed_by:
            prefix = next((p for p in sorted(names.of, reverse=True) if name.startswith(p)), "")
            step = first_failure(run, names.of[prefix], name.removeprefix(prefix), last)
            failing.append((name, step))
        if not any(step is not None and step == finding.steps.get(name) for name, step in failing):
            detail = f"{failing}, not {finding.steps}, on {finding.trace}"
            yield self.said("killed", detail, subject.shown)

    def equivalent(
        self, model: ModelText, proved: Sequence[str], shown: str
    ) -> Iterator[Difference]:
        one_side, other_side = Places(self.model), Places(model)
        if {place.name for place in one_side.all} != {place.name for place in other_side.all}:
            return  # the two do not begin alike: other calls are equal
        for number in range(TRIED):
            seed = self.seed * TRIED + number
            here = random_run(self.model, seed, self.values, one_side)
            there = random_run(model, seed, self.values, other_side)
            for step in range(STEPS):
                try:
                    if not (here.admitted(step) and there.admitted(step)):
                        break
                    one, other = outputs(here, step, proved), outputs(there, step, proved)
                except NoOrderError:
                    break
                if here.is_chosen or there.is_chosen:
                    break  # the other side may do the same with other values
                if one != other:
                    detail = f"{one} and {other} at step {step} of {inputs(here)}"
                    yield self.said("equivalent", detail, shown)
                    return


def first_failure(run: Run, place: Place, declared: str, last: int) -> int | None:
    """Return the first 0-based step at which a property of a place fails; None: none, or none
    of the executions is admitted up to there."""
    for step in range(last + 1):
        if not run.admitted(step):
            return None
        for found, stated, holds in run.properties(step):
            if found is place and written(stated) == declared and not holds:
                return step
    return None


def prefixes_of(model: ModelText, of: Elaborated) -> dict[str, str]:
    """Return the product's prefix of the variables of a place, by its name."""
    _, names = replayed(model, of, Choices(()))
    return {place.name: prefix for prefix, place in reversed(names.of.items())}


def refuted(run: Run, proved: Sequence[str], prefixes: Mapping[str, str]) -> str:
    """Return the property that fails in an execution, with its step; empty for none."""
    for step in range(STEPS):
        try:
            if not run.admitted(step):
                return ""
            for place, stated, holds in run.properties(step):
                full = prefixes.get(place.name, "?") + written(stated)
                if not holds and full in proved:
                    return f"{full} fails at step {step}"
        except NoOrderError:
            return ""
    return ""


def written(tree: Tree) -> str:
    """Return the name of a property."""
    match tree.kind:
        case "field":
            return f"{written(tree.args[0])}.{tree.word}"
        case "index":
            return f"{written(tree.args[0])}[{tree.args[1].word}]"
        case _:
            return tree.word


def outputs(run: Run, step: int, proved: Sequence[str]) -> dict[tuple[str, Path], Scalar]:
    """Return what a tester sees of the main node: its outputs without proved properties."""
    main = run.places.main
    return {
        (name, path): run.variable(main, name, path, step)
        for name, kind in main.node.outputs
        for path, _ in leaves(main.types[name])
        if name + suffix(main.types[name], path) not in proved
    }


def inputs(run: Run) -> list[dict[str, Scalar]]:
    """Return the inputs of an execution, step by step."""
    main = run.places.main
    return [
        {
            name + suffix(main.types[name], path): run.variable(main, name, path, step)
            for name, _ in main.node.inputs
            for path, _ in leaves(main.types[name])
        }
        for step in range(STEPS)
    ]
