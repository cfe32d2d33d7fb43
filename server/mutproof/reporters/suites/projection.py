"""What a projection of a suite is: a part of it in the format of another tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from mutproof.base.record import dataclass
from mutproof.workspace.suites.recorded import RecordedSuite


class NotProjectableError(Exception):
    """Say why a suite cannot be written in a form, such as a number that is too long for it."""


@dataclass(frozen=True, slots=True)
class Projection:
    """Describe a form: `write` gives for a suite and a stem the files, by their names."""

    name: str
    write: Callable[[RecordedSuite, str], Mapping[str, str]]


def in_full(suite: RecordedSuite) -> RecordedSuite:
    """Return a suite whose steps have all inputs, for systems other than models."""
    tests = tuple(
        replace(
            test,
            steps=tuple(
                replace(step, inputs=inputs)
                for step, inputs in zip(test.steps, suite.inputs_at_all_steps(test), strict=True)
            ),
        )
        for test in suite.tests
    )
    return replace(suite, tests=tests)


def identifiers(names: Iterable[str], reserved: Iterable[str] = ()) -> Mapping[str, str]:
    """Return an identifier for each name that most languages accept, each another one."""
    used = set(reserved)
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "v"
        plain = f"v{plain}" if plain[0].isdigit() else plain
        unique, number = plain, 1
        while unique in used:
            number += 1
            unique = f"{plain}_{number}"
        used.add(unique)
        found[name] = unique
    return found
