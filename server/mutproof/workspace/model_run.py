"""What all runs on a model share: the interpretation, its faults, and checks before properties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ModelFinding, PropertyFinding, Statistics
from mutproof.analyses.claims.ledger import Ledger
from mutproof.analyses.proving import model_checks, traps, vacuity
from mutproof.base import giving_way
from mutproof.model import lengths
from mutproof.model.interpretation import Interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import Program
from mutproof.model.system import TransitionSystem
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options


class ModelRun(ABC):
    """Run on one model; mutable: collects the faults of the model, and emits each at once."""

    def __init__(
        self,
        elaborated: Elaborated,
        options: Options,
        memory: Ledger,
        means: Means,
        *,
        program: Program,
        emit: Callable[[Event], None],
    ) -> None:
        self._elaborated = elaborated
        self._program = program
        self._options = options
        self._memory = memory
        self._means = means
        self._emit = emit
        self._faults: list[ModelFinding] = []

    def run(self) -> Report:
        """Run, and return the report; no solver works on after that.

        May be called once: the means refer to this run, and are let go with it.
        """
        try:
            with giving_way.stoppable(self._means.check_cancelled):
                return self._run()
        finally:
            self._means.spacer.rest()
            self._means.benches.rest()
            del self._means

    @abstractmethod
    def _run(self) -> Report:
        """Return the report."""

    def _fault(self, fault: ModelFinding) -> None:
        self._faults.append(fault)
        self._emit(fault)

    def _find_traps(
        self, meaning: Interpretation, system: TransitionSystem, found: Iterable[PropertyFinding]
    ) -> None:
        """Report what is legal but rarely meant; only the first worker on a file does."""
        options, memory = self._options, self._memory
        as_written = meaning.program.digest == self._program.digest
        if options.share[0] == 0 and not options.mutants and as_written:
            about = meaning, system, found, self._means
            for fault in traps.faults(*about, memory=memory.proofs, bounds=memory.bounds):
                self._fault(fault)

    def _checked(self, meaning: Interpretation, system: TransitionSystem) -> tuple[str, str]:
        """Check a model before its properties, and report its faults.

        Return why it may be no model, and why no property of it could fail; empty strings if
        neither is known.

        Raises:
            NumberTooLarge: a number would be too long to be computed.
        """
        lengths.check(system)  # before any solver sees it
        known = self._memory.records.obligations
        for fault in model_checks.check_obligations(
            self._elaborated, self._program, known, self._means
        ):
            self._fault(fault)
        empty = ""
        blocked = model_checks.blocked(self._faults)
        if not blocked:
            for fault in vacuity.faults(system, self._means, self._memory.proofs, meaning.run):
                self._fault(fault)
                empty = empty or vacuity.emptying(fault)
        return blocked, empty

    def _refused(self, program: Program) -> Report | None:
        """Return the report where a suite is asked for and the text alone rules one out."""
        if not self._options.suite:
            return None
        from mutproof.analyses.suites.make import interface_of  # proofs do not need it

        _, refused = interface_of(program, self._options.outputs)
        if refused is None:
            return None
        self._emit(refused)
        self._emit(Statistics())
        return Report((), (), Statistics(), tuple(self._faults), suite=refused)
