"""Choose few suggestions that together kill what all of them kill.

Only names of mutants are compared: what each suggestion kills was decided before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from mutproof.analyses.suggesting.finding import Suggestion

MOST_TRIED: Final = 20_000
"""How many sets are looked at for one with fewer suggestions, or with fewer words."""

_WORD: Final = re.compile(r"\w+")


def smallest(suggestions: Sequence[Suggestion], *, restating: bool = True) -> list[Suggestion]:
    """Return suggestions that kill what all kill, none of them superfluous, in their order.

    Those that restate the model are used only for what no others kill, odd ones only for what
    neither of these kill. Each kind is a smallest set if one is found within MOST_TRIED, or has one
    more if that is fewer words to read. Unless `restating`, what restates the model is left out.
    """
    chosen: set[str] = set()
    closed: set[str] = set()
    for kind in (2, 1, 0) if restating else (2, 0):
        better = {name for one in suggestions if rank(one) < kind for name in one.kills} | closed
        some = [_without(one, better) for one in suggestions if rank(one) == kind]
        names = {one.name for one in _smallest([one for one in some if one.kills])}
        closed |= {name for one in suggestions if one.name in names for name in one.kills}
        chosen |= names
    return [one for one in suggestions if one.name in chosen]


def rank(suggestion: Suggestion) -> int:
    """Return 0 for what tells most, 1 for what restates the model, 2 for what is odd."""
    return 1 if suggestion.restates else 2 * suggestion.odd


def _without(suggestion: Suggestion, closed: Collection[str]) -> Suggestion:
    return replace(suggestion, kills=tuple(n for n in suggestion.kills if n not in closed))


def _smallest(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    mutants = dict.fromkeys(name for one in suggestions for name in one.kills)
    place = {name: 1 << number for number, name in enumerate(mutants)}
    kills = [sum(place[name] for name in dict.fromkeys(one.kills)) for one in suggestions]
    everything = (1 << len(place)) - 1
    chosen = _needed(_greedy(kills, everything), kills)
    chosen = (
        _lighter(kills, everything, [1] * len(kills), known=chosen, most=len(chosen) - 1) or chosen
    )
    words = [len(_WORD.findall(one.text)) for one in suggestions]
    chosen = _lighter(kills, everything, words, known=chosen, most=len(chosen) + 1) or chosen
    return [suggestions[number] for number in sorted(chosen)]


def without_redundant(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Return the suggestions without those that kill no more than a single one of the best set.

    One that kills the same as it stays if it has fewer conditions.
    """
    best = [*smallest(suggestions), *smallest(suggestions, restating=False)]
    return [one for one in suggestions if one in best or not any(_is_for(one, b) for b in best)]


def _is_for(less: Suggestion, more: Suggestion) -> bool:
    """Tell whether one suggestion kills, and says, no more than another one."""
    one, other = set(less.kills), set(more.kills)
    if less.component != more.component or not one <= other or rank(more) > rank(less):
        return False
    return one < other or len(less.conditions) >= len(more.conditions)


def _greedy(kills: Sequence[int], everything: int) -> list[int]:
    """Return a cover of all kills: next always the one that kills most of what is left."""
    chosen: list[int] = []
    left = everything
    while left:
        number = max(range(len(kills)), key=lambda each: (kills[each] & left).bit_count())
        chosen.append(number)
        left &= ~kills[number]
    return chosen


def _needed(chosen: Sequence[int], kills: Sequence[int]) -> list[int]:
    """Return the chosen ones without those whose kills the others have."""
    needed = list(chosen)
    for number in chosen:
        others = 0
        for other in needed:
            others |= kills[other] if other != number else 0
        if not kills[number] & ~others:
            needed.remove(number)
    return needed


def _lighter(
    kills: Sequence[int],
    everything: int,
    weights: Sequence[int],
    *,
    known: Sequence[int],
    most: int,
) -> list[int] | None:
    """Return a cover of less weight than a known one, None if none was found.

    Mutants with fewest killers are covered first: one of these is in any cover.
    """
    found: list[int] | None = None
    bound, lightest = sum(weights[number] for number in known), min(weights, default=1)
    killers = [
        [number for number, mask in enumerate(kills) if mask & (1 << bit)]
        for bit in range(everything.bit_length())
    ]
    rarest = sorted(range(len(killers)), key=lambda bit: len(killers[bit]))
    widest = max((mask.bit_count() for mask in kills), default=1)
    waiting: list[tuple[tuple[int, ...], int]] = [((), everything)]
    for _ in range(MOST_TRIED):
        if not waiting:
            break
        chosen, left = waiting.pop()
        weight, needed = sum(weights[number] for number in chosen), -(-left.bit_count() // widest)
        if weight + needed * lightest >= bound or len(chosen) + needed > most:
            continue
        if not left:
            found, bound = list(chosen), weight
            continue
        bit = next(bit for bit in rarest if left & (1 << bit))
        apt = sorted(
            killers[bit], key=lambda each: ((kills[each] & left).bit_count(), -weights[each])
        )
        waiting += [((*chosen, number), left & ~kills[number]) for number in apt]
    return found
