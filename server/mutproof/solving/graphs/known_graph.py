"""What is known of one graph: its labels, and the paths on which formulas fail."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from mutproof.base.lazy import cached_property
from mutproof.model.terms import Term
from mutproof.model.trace import Trace
from mutproof.solving.graphs.labels import Graph, Labels

Path: TypeAlias = "tuple[Sequence[int], int | None]"
"""States, and the place of the one to which the last returns."""


class KnownGraph:
    """Hold the labels of a graph, paths on which formulas fail, and these as `traces`; caches."""

    def __init__(self, graph: Graph, initial: Sequence[int], labels: Labels) -> None:
        self.initial = initial
        self.traces: dict[Hashable, Trace] = {}
        self.graph = graph
        self._labels = labels
        self._paths: dict[tuple[Term, bool], Path | None] = {}

    @cached_property
    def fair_part(self) -> KnownGraph:
        """Return what is known of the part of the graph in which fair paths begin."""
        part = self._labels.fair_part
        if part is self.graph:
            return self
        initial = [number for number in self.initial if number in part]
        return KnownGraph(part, initial, self._labels.within(part))

    def failing(self, formula: Term, *, endless: bool) -> Path | None:
        """Return a path on which a formula fails, and where it loops; None if it holds.

        The path has no states where none shows the failure.
        """
        key = formula, endless
        if key not in self._paths:
            self._paths[key] = self._failing(formula, endless=endless)
        return self._paths[key]

    def _failing(self, formula: Term, *, endless: bool) -> Path | None:
        labels = self._labels
        failing = labels.failing(formula, self.initial)
        if failing is None:
            return None
        shown = labels.refuted(*failing)
        if shown is None:
            return (), None
        return labels.prolonged(shown[0]) if endless and shown[1] is None else shown
