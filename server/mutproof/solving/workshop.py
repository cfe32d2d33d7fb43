"""Where solvers of one system are made: they share constants and translated terms.

A new context costs more than a small proof, and translating terms more than checking them. Each
solver made here starts empty; solvers share no learnt facts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from mutproof.model.system import TransitionSystem
from mutproof.solving.solver import Solver
from mutproof.solving.unroll import Unrolling, Vocabulary
from mutproof.solving.z3_context import Z3Context
from mutproof.solving.z3_solver import FINITE, Z3Solver


class Workshop:
    """Make solvers and unrollings of one system and its parts; mutable, one thread.

    Translations are kept as long as the workshop. `heed` is called before every check, and raises
    if the answer is not wanted any more.
    """

    def __init__(self, heed: Callable[[], None] | None = None) -> None:
        self._heed = heed
        self._context: Z3Context | None = None
        self._vocabulary = Vocabulary()

    def solver(self, *, finite: bool = False) -> Solver:
        """Return an empty solver; a `finite` one, for Booleans and words only, works on bits."""
        if self._context is None:
            self._context = Z3Context(self._heed)
        return cast("Solver", Z3Solver(self._context, logic=FINITE if finite else ""))

    def another(self) -> Workshop:
        """Return an empty workshop, whose solvers answer whatever those of this one were asked."""
        return Workshop(self._heed)

    def interrupt(self) -> None:
        """Make a check that runs in another thread answer UNKNOWN soon."""
        if self._context is not None:
            self._context.interrupt()

    def unrolling(
        self,
        system: TransitionSystem,
        *,
        initial: bool,
        labelled: bool = False,
        guarded: bool = False,
        within: TransitionSystem | None = None,
        finite: bool = False,
    ) -> Unrolling:
        """Return an unrolling in an empty solver; variables are declared alike in all systems."""
        return Unrolling(
            self.solver(finite=finite),
            system,
            initial=initial,
            labelled=labelled,
            guarded=guarded,
            within=within,
            vocabulary=self._vocabulary,
        )
