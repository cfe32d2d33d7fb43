"""What makes a command fail, with an exit code other than 0: names, defaults and arguments."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, _ArgumentGroup
from collections.abc import Collection, Mapping
from typing import Final

from mutproof.base.near import asked, near
from mutproof.cli import option_values
from mutproof.reporters.disposition import Disposition

NEVER: Final = "never"

PROPERTY_FAILURES: Final = {
    "falsified": "a property is (40)",
    "unknown": "a property is (30)",
    "vacuous": "a property is proved, and could not have failed (2)",
}
"""What can make proofs fail (an exit code other than 0), by name, with explanations."""

MUTANT_FAILURES: Final = {
    "new": "a mutant survived that is not proved equivalent and that no baseline accepts (2)",
    "survived": "likewise, accepted or not (2)",
    "gap": "as new, and an execution tells it from the model (2)",
    "unknown": "a mutant is, or whether a survivor is equivalent (3)",
    "unproved": "a property is, on the unmutated model (4)",
}
"""What can make mutation fail (an exit code other than 0), by name, with explanations."""

PROPERTY_GATE: Final = ("falsified", "unknown")
MUTANT_GATE: Final = ("new", "unknown", "unproved")


def add_gate(
    parser: ArgumentParser, known: Mapping[str, str], default: tuple[str, ...]
) -> _ArgumentGroup:
    """Add the option for what makes the exit code non-zero; `known` are names with meanings."""

    def named(text: str) -> tuple[str, ...]:
        names = tuple(name.strip() for name in text.split(",") if name.strip())
        for name in names:
            if name != NEVER and name not in known:
                guess = asked(near(name, [*known, NEVER], most=1))
                hint = f": {guess}" if guess else ""
                message = f"{name!r} is none of {', '.join([*known, NEVER])}{hint}"
                raise ArgumentTypeError(message)
        if not names:
            message = f"nothing is named, which {NEVER} says: {text!r}"
            raise ArgumentTypeError(message)
        if NEVER in names and len(names) > 1:
            message = f"{NEVER} stands alone: {text!r}"
            raise ArgumentTypeError(message)
        return names

    group = parser.add_argument_group("exit code")
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in known.items())
    group.add_argument(
        "--fail-on",
        type=named,
        default=None,
        metavar="A,B",
        help=f"what makes the exit code another one than 0: {meanings}; {NEVER}: none of these"
        f" (default: {','.join(default)})",
    )
    return group


def add_threshold(group: _ArgumentGroup) -> None:
    """Add the least score that passes."""
    group.add_argument(
        "--threshold",
        type=option_values.percent,
        default=None,
        metavar="PERCENT",
        help="end with 5 where the score of all files is less; survivors and unknown mutants then"
        " count in the score, and fail on their own only if --fail-on says so",
    )


def mutant_gate(fail_on: Collection[str] | None, threshold: float | None) -> Collection[str]:
    """Return what makes a mutation run fail; an argument of None was not given."""
    if fail_on is not None:
        return fail_on
    return MUTANT_GATE if threshold is None else ("unproved",)


def add_baseline(parser: ArgumentParser) -> None:
    """Add the baseline of accepted gaps, and whether to accept those of this run."""
    group = parser.add_argument_group("baseline")
    group.add_argument(
        "--baseline",
        metavar="FILE",
        default=None,
        help="a file of gaps that are accepted: they are reported as such, and do not fail",
    )
    group.add_argument(
        "--update-baseline",
        action="store_true",
        help="accept the gaps of this run, and forget accepted ones that are none any more",
    )
    group.add_argument(
        "--reason",
        metavar="TEXT",
        default="",
        help="why --update-baseline accepts new and expired gaps",
    )
    group.add_argument(
        "--expires",
        type=option_values.day,
        metavar="DAY",
        default=None,
        help="the last day (YYYY-MM-DD) on which it accepts them (default: none)",
    )
    group.add_argument(
        "--disposition",
        choices=[one.value for one in Disposition],
        default=None,
        help="what is to be done about them: add a property, fix the model, remove what is not"
        " needed, or no more than to justify them (default: justify)",
    )
