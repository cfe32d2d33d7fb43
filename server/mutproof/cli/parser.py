"""The argument parser: one that reports wrong usage as every other failure is reported."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mutproof.base.near import near
from mutproof.cli import option_values
from mutproof.cli.failure import UserError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


PASSED_ON: Final = "passed_on"

NOT_IN_FILES: Final = frozenset(
    {
        "help", "debug", "config", "no-config", "resume",  # for one call only
        "since", "in-diff",  # for one change only
        "jobs", "memory", "color", "no-progress", "quiet",  # for one machine and terminal
        "shard", "cluster",  # for one distributed run
        "output", "certify", "certify-timeout", "traces", "write", "evidence",  # write files
        "mutant", "element", "best", "update-baseline", "reason", "expires", "disposition",
        "suites", "against", "model", "tolerance", "answer-timeout", "as", "from",
    }
)  # fmt: skip
"""Options that files of settings must not give."""

_NOT_UNDONE: Final = NOT_IN_FILES | {"fail-on"}  # `fail-on` has a value `never`
_USUAL_COLUMNS: Final = 80
_NOTHING: Final[tuple[object, ...]] = (None, "", (), [], 0, math.inf)


class _CommandHelp(RawDescriptionHelpFormatter):
    """Format help as wide as the terminal is, which is looked up once."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


@cache
def _columns() -> int:
    """Return what `shutil.get_terminal_size` would, but that takes long to import."""
    with contextlib.suppress(KeyError, ValueError):
        if (named := int(os.environ["COLUMNS"])) > 0:
            return named
    with contextlib.suppress(ValueError, OSError):
        if sys.__stdout__ is not None:
            return os.get_terminal_size(sys.__stdout__.fileno()).columns or _USUAL_COLUMNS
    return _USUAL_COLUMNS


class CommandParser(ArgumentParser):
    """Report wrong usage as every other failure is reported."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**{"formatter_class": _CommandHelp, **arguments})

    def error(self, message: str) -> NoReturn:
        """Raise the error as a UserError; unlike the overridden method, end no process."""
        raise self._wrong(message)

    def _check_value(self, action: Action, value: Any) -> None:
        """Refuse what is no choice; unlike the overridden method, with the nearest ones."""
        try:
            super()._check_value(action, value)
        except ArgumentError as error:
            close = near(str(value), map(str, action.choices or ()))
            raise self._wrong(str(error), close) from None

    def _get_value(self, action: Action, arg_string: str) -> Any:
        """Return the value of a word; unlike the overridden method, refuse empty names of files."""
        if wrong := option_values.nameless(action, arg_string):
            raise ArgumentError(action, wrong)
        return super()._get_value(action, arg_string)

    def _wrong(self, message: str, close: Sequence[str] = ()) -> UserError:
        return UserError("usage", message, way_out=f"see `{self.prog} --help`", near=close)

    def add_undoing(self) -> None:
        """Add, for each option that files of settings may give, one that resets it.

        `--no-X` restores the default of `--X`, and `--X` that of `--no-X`. Options that always have
        a value, such as a level, have none.
        """
        if not {"--config", "--rlimit"} <= self._option_string_actions.keys():
            return
        for name, action in list(self._option_string_actions.items()):
            key = name.removeprefix("--")
            undoing = f"--{key.removeprefix('no-')}" if key.startswith("no-") else f"--no-{key}"
            if (
                name.startswith("--")
                and key not in _NOT_UNDONE
                and (action.nargs == 0 or action.default in _NOTHING)
                and undoing not in self._option_string_actions
            ):
                self.add_argument(
                    undoing,
                    dest=action.dest,
                    action="store_const",
                    const=action.default,
                    default=action.default,
                    help=SUPPRESS,
                )

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> tuple[Namespace, list[str]]:
        """Parse arguments; unlike the overridden method, refuse unknown options.

        Where the parser has a default for the argument called PASSED_ON, that argument gets all
        words after `--`.
        """
        words = list(sys.argv[1:] if args is None else args)
        self.add_undoing()
        if passed := self.get_default(PASSED_ON) is not None and "--" in words:
            at = words.index("--")
            words, behind = words[:at], words[at + 1 :]
        parsed, left = super().parse_known_args(words, namespace)
        if passed:
            setattr(parsed, PASSED_ON, behind)
        if left:
            wanted = left[0].partition("=")[0]
            known = self._option_string_actions if wanted.startswith("--") else ()
            raise self._wrong(f"unrecognized arguments: {' '.join(left)}", near(wanted, known))
        return parsed, left

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print help; unlike the overridden method, fail where it cannot be written."""
        (file or sys.stdout).write(self.format_help())
