"""Leave out steps of an execution that shows something, as long as what is left shows it too.

Source: Zeller and Hildebrandt, Simplifying and isolating failure-inducing input, TSE 2002.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mutproof.model.trace import Choices


def shortened(
    choices: Choices,
    attempt: Callable[[Choices, int], Choices | None],
    *,
    least: int = 1,
    tries: int,
) -> Choices:
    """Leave out steps, many at once, then fewer; `least` remain, and `tries` attempts are made.

    `attempt` gets what remains, and how many of its first steps are those of the last success. It
    returns that, cut where it may end, or None if it does not show what is wanted.
    """
    size = len(choices.steps) // 2
    while size and tries:
        start = 0
        while start < len(choices.steps) and tries:
            steps = (*choices.steps[:start], *choices.steps[start + size :])
            if len(steps) < least:
                break
            tries -= 1
            found = attempt(replace(choices, steps=steps), start)
            if found is not None:
                choices = found
            else:
                start += size
        size //= 2
    return choices
