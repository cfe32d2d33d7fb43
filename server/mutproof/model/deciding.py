"""What of a system decides properties up to given steps: less from step to step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mutproof.model.horizon import last_steps
from mutproof.model.simulate import Simulator


def deciding_until(
    by: Mapping[str, int], simulator: Simulator, reads: Mapping[str, Iterable[str]], first: int
) -> Sequence[tuple[int, int]]:
    """Return the definitions and updates, as bits, that decide properties up to steps, for each.

    The steps begin with the `first`; what some definitions read besides is in `reads`.
    """
    wanted: dict[str, int] = {}
    for goal, step in by.items():
        for name in simulator.read_by(frozenset((goal,))):
            wanted[name] = max(step, wanted.get(name, 0))
    same, earlier = simulator.reads

    def now(name: str) -> Iterable[str]:
        return (*same.get(name, ()), *reads.get(name, ()))

    until = last_steps(wanted, now, lambda name: earlier.get(name, ()), first=first)
    ending: dict[int, list[str]] = {}
    for name, step in until.items():
        ending.setdefault(step, []).append(name)
    found: list[tuple[int, int]] = []
    defined = updated = 0
    for step in range(max(by.values(), default=first - 1), first - 1, -1):
        for name in ending.get(step, ()):
            if name in simulator.position:
                defined |= 1 << simulator.position[name]
            if name in simulator.update_position:
                updated |= 1 << simulator.update_position[name]
        found.append((defined, updated))
    return found[::-1]
