"""The argument parser: one that reports wrong usage as every other failure is reported."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from mutproof.cli.failure import UserError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


PASSED_ON: Final = "passed_on"


class CommandParser(ArgumentParser):
    """Report wrong usage as every other failure is reported."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong; unlike the overridden method, end no process."""
        raise UserError("usage", message, way_out=f"see `{self.prog} --help`")

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> tuple[Namespace, list[str]]:
        """Parse arguments; unlike the overridden method, refuse options that there are not.

        Where a parser has a default of PASSED_ON, what is behind `--` becomes its value.
        """
        words = list(sys.argv[1:] if args is None else args)
        if passed := self.get_default(PASSED_ON) is not None and "--" in words:
            at = words.index("--")
            words, behind = words[:at], words[at + 1 :]
        parsed, left = super().parse_known_args(words, namespace)
        if passed:
            setattr(parsed, PASSED_ON, behind)
        if left:
            import difflib

            wanted = left[0].partition("=")[0]
            near = difflib.get_close_matches(wanted, self._option_string_actions, n=2)
            way_out = f"see `{self.prog} --help`"
            if near and wanted.startswith("--"):
                way_out = f"did you mean {' or '.join(near)}? {way_out}"
            raise UserError("usage", f"unrecognized arguments: {' '.join(left)}", way_out=way_out)
        return parsed, left

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print help; unlike the overridden method, fail where it cannot be written."""
        (file or sys.stdout).write(self.format_help())
