"""Suggestions as values without terms: texts that were inserted, proved and run on mutants."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mutproof.base.record import dataclass

_SIGNS: Final = {" & ": " and ", " | ": " or ", "!": "not "}
_SIGN: Final = re.compile(r" [&|] |(?<!\w)!(?=[\w(])")
"""What readers of sentences need not know: operators that have an English word."""


OUT_OF_TIME: Final = "out of time"
"""Why nothing is suggested for a gap that the search did not come to."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Hold a property to add to a component, in the words of its language.

    `name` is unused in the file; `text` is the Boolean expression. `conditions` and `claim` are its
    parts, `when` the steps it is about ("always", "first", "later"). `kills` are the mutants that
    it was seen to kill in the file, in their order. `logic` is that of the text: invariant, ltl or
    ctl. `restates`: it says no more than an element of the model. `odd`: readers would wonder why
    it holds.
    """

    component: str
    name: str
    text: str
    conditions: tuple[str, ...]
    claim: str
    when: str
    kills: tuple[str, ...]
    logic: str = "invariant"
    restates: bool = False
    odd: bool = False

    @property
    def sentence(self) -> str:
        """Return the suggestion as an English sentence."""
        step = {"always": "", "first": "in the first step", "later": "after the first step"}
        parts = [step[self.when]] if step[self.when] else []
        if self.conditions:
            parts.append(f"whenever {' and '.join(self.conditions)}")
        claim = self.claim
        if self.logic == "ctl":
            claim = f"{claim.removeprefix('EX ')} may come next"
        stated = ", ".join((*parts, claim)) if parts else f"always {claim}"
        stated = _SIGN.sub(lambda found: _SIGNS[found[0]], stated)
        return f"{stated[0].upper()}{stated[1:]}."

    @property
    def requirement(self) -> str:
        """Return the suggestion as a FRETISH requirement.

        Source: FRET, "FRETish": scope, condition, component, shall, timing, response.
        """
        step = {"always": "", "first": "in the first step, ", "later": "after the first step, "}
        condition = f"whenever ({' & '.join(self.conditions)}) " if self.conditions else ""
        timing = "immediately" if self.conditions or self.when == "first" else "always"
        scope = step[self.when]
        return f"{scope}{condition}the {self.component} shall {timing} satisfy ({self.claim})"


@dataclass(frozen=True, slots=True)
class SuggestionsFinding:
    """Hold the suggestions for a file.

    The `best` ones, by name, together kill what any suggestion kills, and none of them is
    superfluous, unless only one that restates the model kills it: `best_restating` has these too.
    `left` says for every other gap why nothing is suggested. Of the `undecided`
    mutants it was not known yet whether they are gaps.
    """

    suggestions: tuple[Suggestion, ...] = ()
    best: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    undecided: int = 0
    best_restating: tuple[str, ...] = ()

    @property
    def closed(self) -> frozenset[str]:
        """Return the mutants that the suggestions kill."""
        return frozenset(name for one in self.suggestions for name in one.kills)

    def unless_less(self, earlier: SuggestionsFinding) -> SuggestionsFinding:
        """Return this, or an earlier finding that closes more gaps, as it may have had more time.

        Gaps known by now that the result does not close are in its `left`.
        """
        if len(earlier.closed) <= len(self.closed):
            return self
        known = {name for name, _ in earlier.left} | earlier.closed
        new = (name for one in self.suggestions for name in one.kills)
        left = dict(earlier.left) | {n: why for n, why in self.left if n not in known}
        left |= {name: OUT_OF_TIME for name in new if name not in known}
        return replace(earlier, left=tuple(left.items()), undecided=self.undecided)

    @property
    def best_set(self) -> tuple[Suggestion, ...]:
        """Return the suggestions of the best set."""
        return self.chosen(restating=False)

    def chosen(self, *, restating: bool) -> tuple[Suggestion, ...]:
        """Return the suggestions of the best set, with those that restate the model or without."""
        names = self.best_restating if restating else self.best
        return tuple(one for one in self.suggestions if one.name in names)
