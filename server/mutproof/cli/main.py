"""The command line: from arguments to a command and from its end to an exit code.

What goes wrong inside a command is caught here and nowhere else in `cli`: a `UserError` becomes
one line with a code; anything else is a bug, reported in a few lines unless `--debug` is given.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import sys
from argparse import SUPPRESS, Action, ArgumentParser
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn

import mutproof
from mutproof.cli import early
from mutproof.cli.commands import COMMANDS
from mutproof.cli.exit_codes import MEANINGS, ExitCode
from mutproof.cli.failure import Terminated, UserError
from mutproof.cli.parser import CommandParser

_DESCRIPTION = """\
Mutation proof for Lustre and NuSMV models: which small changes of a model do its proved
properties not see?"""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""Errors of writing that are no defects of the program, such as a full disk."""


def run() -> NoReturn:
    """Run the command line of this process and end it with the exit code."""
    early.end_quietly()
    code = main(sys.argv[1:])
    early.end_quietly()
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    import threading

    given_up = code in {ExitCode.INTERRUPTED, ExitCode.TERMINATED}
    threads = [one for one in threading.enumerate() if one is not threading.main_thread()]
    if not given_up and not any(thread.daemon for thread in threads):
        if threads:
            sys.exit(int(code))  # waits for them
        atexit._run_exitfuncs()  # noqa: SLF001 - nothing else runs them
    # The interpreter takes as long to take itself down as a small model takes, and more after
    # abandoned work or with much memory.
    os._exit(int(code))


def main(arguments: Sequence[str]) -> ExitCode:
    """Run the command that the arguments name and return the exit code."""
    _prepare_streams()
    sys.set_int_max_str_digits(0)  # integers of models are unbounded and reported exactly
    debug = "--debug" in arguments
    try:
        try:
            parsed = _parser(_wanted(arguments)).parse_args(arguments)
        except SystemExit:
            sys.stdout.flush()
            raise
        if hasattr(parsed, "config"):
            from mutproof.cli import configuration

            parsed = configuration.completed(parsed, arguments)
        _prepare_log(debug=debug)
        code = COMMANDS[parsed.command].run(parsed)
        sys.stdout.flush()
        return code
    except UserError as error:
        _say(_failure(error))
        return error.exit_code
    except BrokenPipeError:
        # The reader is gone, so the interpreter must not flush at its end.
        _drop_output()
        return ExitCode.CLOSED
    except Terminated:
        return ExitCode.TERMINATED
    except KeyboardInterrupt:
        _say("interrupted")
        return ExitCode.INTERRUPTED
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            _drop_output()
            reason = "it is closed" if error.errno == errno.EBADF else error.strerror
            _say(f"error[output-unwritable]: the output cannot be written: {reason}")
            return ExitCode.UNUSABLE
        if debug:
            import traceback

            traceback.print_exc()
        _say(
            f"error[internal-error]: {type(error).__name__}: {str(error)[:300]}\n"
            "  = help: this is a defect of mutproof; run again with --debug and report it"
        )
        return ExitCode.BUG


class _Version(Action):
    """Print the version, looked up on demand."""

    def __call__(self, parser: ArgumentParser, *_: object) -> NoReturn:
        sys.stdout.write(f"mutproof {mutproof.__version__}\n")
        parser.exit()


def _wanted(arguments: Sequence[str]) -> Sequence[str]:
    """Return the command that the arguments name, or all commands if they name none."""
    first = next((word for word in arguments if word != "--debug"), "")
    return (first,) if first in COMMANDS else COMMANDS.names()


def _parser(names: Sequence[str]) -> ArgumentParser:
    parser = CommandParser(
        prog="mutproof",
        description=_DESCRIPTION,
        epilog=_epilog(names),
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, default=SUPPRESS, help="show the version and exit"
    )
    parser.add_argument("--debug", action="store_true", help="show the traceback of a defect")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in (COMMANDS[name] for name in names):
        added = commands.add_parser(
            command.name,
            help=command.summary,
            description=f"{command.summary[0].upper()}{command.summary[1:]}.",
            epilog=_examples(command.examples),
        )
        # Accepted after the command too; the default must not reset one given before it.
        added.add_argument("--debug", action="store_true", default=SUPPRESS, help=SUPPRESS)
        command.configure(added)
    return parser


def _epilog(names: Sequence[str]) -> str:
    chosen = [COMMANDS[name] for name in names]
    examples = [command.examples[0] for command in chosen if command.examples]
    codes = "\n".join(f"  {code.value:>3}  {meaning}" for code, meaning in MEANINGS.items())
    return f"{_examples(examples)}\n\nexit codes (of several files the most serious):\n{codes}"


def _examples(examples: Sequence[tuple[str, str]]) -> str:
    width = max((len(line) for line, _ in examples), default=0)
    lines = [f"  {line.ljust(width)}  {purpose}" for line, purpose in examples]
    return "\n".join(["examples:", *lines]) if lines else ""


def _failure(error: UserError) -> str:
    """Return the lines that report a failure."""
    from mutproof.cli.console import failure_text, is_coloured
    from mutproof.reporters.style import Style

    return failure_text(error, Style(colour=is_coloured("auto", sys.stderr)))


def _prepare_streams() -> None:
    """Write UTF-8 to pipes, and escape characters that cannot be encoded."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            if isinstance(stream, TextIOWrapper):
                encoding = stream.encoding if stream.isatty() else "utf-8"
                stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _prepare_log(*, debug: bool) -> None:
    """Show the log, which includes defects that workers report, with `--debug`."""
    if debug:
        import logging  # slow to import

        logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")


def _say(text: str) -> None:
    with contextlib.suppress(OSError):
        sys.stderr.write(text + "\n")


def _drop_output() -> None:
    """Discard pending output, so that the interpreter does not fail to flush it at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
