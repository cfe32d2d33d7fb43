"""Settings from files: options of commands, by name; the command line overrides them.

Values become words of a command line, so that files can give what options can, and wrong values
have the same messages. Settings of single models are read from the file nearest to each; settings
of the run, from the one nearest to their common folder.
"""

from __future__ import annotations

import os
from argparse import SUPPRESS, Action, Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, Final

from mutproof.base.record import dataclass
from mutproof.cli import arguments as shared
from mutproof.cli import option_values
from mutproof.cli.command import Command
from mutproof.cli.commands import COMMANDS
from mutproof.cli.failure import UserError
from mutproof.cli.parser import NOT_IN_FILES, CommandParser
from mutproof.runtime.configuration import (
    FILES,
    Configuration,
    ConfigurationError,
    ConfigurationSearch,
    read,
)
from mutproof.workspace.options import Options

CODE: Final = "configuration"

_PATHS: Final = frozenset({"baseline"})
"""Keys that name files, relative to the folder of the file of settings."""

_MADE: Final = frozenset({"rlimit", "timeout", "equivalence", "observe"})
"""Arguments that determine options of single files, beside those with the options' names."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Hold the settings of one source, by the names of arguments, with the keys that gave them."""

    origin: str
    values: Mapping[str, object]


class Chosen:
    """Determine the options of a command for each file from those for the run.

    Mutable only in that it remembers what it has read.
    """

    def __init__(self, command: Command, words: Sequence[str], *, used: bool, path: str | None):
        """Take the words after the command; `path` is the file of settings, if one is named."""
        self._command = command
        self._used = used
        self._search = ConfigurationSearch()
        self._named = _read(path) if used and path is not None else None
        self._typed = Layer("command line", self._explicit(words))
        self._of_run: list[Layer] = []
        self._known: dict[tuple[str, ...], list[Layer]] = {}

    @cached_property
    def defaults(self) -> Mapping[str, object]:
        """Return the default values of arguments."""
        parser = CommandParser(prog=f"mutproof {self._command.name}")
        self._command.configure(parser)
        found = {action.dest: action.default for action in parser._actions}  # noqa: SLF001
        return {dest: value for dest, value in found.items() if value is not SUPPRESS}

    @cached_property
    def keys(self) -> Mapping[str, Action]:
        """Return the keys of this command, with the argument of each."""
        return keys(self._command)

    def of_run(self, names: Iterable[str]) -> list[Layer]:
        """Return the settings for a run on these files and folders, in ascending precedence.

        Raises:
            UserError: a file of settings cannot be read, or has an invalid value.
        """
        folders = [path if os.path.isdir(path) else os.path.dirname(path)
                   for path in map(os.path.abspath, names)]  # fmt: skip
        try:
            folder = os.path.commonpath(folders) if folders else os.getcwd()
        except ValueError:  # on several drives
            folder = os.getcwd()
        self._of_run = [*self._layers(self._nearest(folder), None), self._typed]
        return self._of_run

    def of_file(self, name: str) -> list[Layer]:
        """Return the settings for one file, in ascending precedence.

        Raises:
            UserError: a file of settings cannot be read, or has an invalid value.
        """
        path = os.path.abspath(name)
        return [*self._layers(self._nearest(os.path.dirname(path)), path), self._typed]

    def options(self, name: str, options: Options, of_run: Namespace) -> Options:
        """Return the options for one file, from those of the run and its arguments.

        Raises:
            UserError: a file of settings cannot be read, or has an invalid value.
        """
        run, single = _said(self._of_run), _said(self.of_file(name))
        differing = [
            dest
            for dest in {*_concerned(), *_MADE} & self.defaults.keys()
            if run.get(dest, self) != single.get(dest, self)
        ]
        if not differing:
            return options
        own = Namespace(**vars(of_run))
        for dest in differing:
            setattr(own, dest, single.get(dest, self.defaults[dest]))
        ways = {"mutate": options.mutate, "cores": options.cores}
        base, found = (shared.options(one, **ways) for one in (of_run, own))
        changes: dict[str, Any] = {
            one.name: getattr(found, one.name)
            for one in fields(Options)
            if getattr(found, one.name) != getattr(base, one.name)
        }
        return replace(options, **changes) if changes else options

    def _nearest(self, folder: str) -> Configuration | None:
        if not self._used or self._named is not None:
            return self._named
        try:
            return self._search.nearest(folder)
        except ConfigurationError as error:
            raise _failure(_shown(error.path), error.message) from error

    def _layers(self, found: Configuration | None, path: str | None) -> list[Layer]:
        if found is None:
            return []
        name = _shown(found.path)
        matching = () if path is None or not found.sections else found.matching(path)
        said: dict[str, Mapping[str, object]] = {
            name: found.values,
            f"{name} [{self._command.name}]": found.tables.get(self._command.name, {}),
            **{f"{name} [[{FILES}]] {', '.join(one.patterns)}": one.values for one in matching},
        }
        key = (found.path, *said)
        if key not in self._known:
            _check(found)
            self._known[key] = [
                Layer(origin, self._understood(found, origin, values))
                for origin, values in said.items()
                if values
            ]
        return self._known[key]

    def _understood(
        self, found: Configuration, origin: str, values: Mapping[str, object]
    ) -> dict[str, object]:
        """Return the arguments for values of a file, parsed as by the command line."""
        words: list[str] = []
        off: dict[str, object] = {}
        for key, value in values.items():
            action = self.keys.get(key)
            if action is None:
                continue  # of another command
            if value is False and action.nargs == 0:
                off[action.dest] = self.defaults[action.dest]
            words += _words(found, key, action, value)
        try:
            return off | self._explicit([*words, "--", "."])
        except UserError as error:
            below = f"what is for one command stands below [{self._command.name}]"
            way_out = error.question or below
            raise _failure(origin, error.message, way_out=way_out) from error

    def _explicit(self, words: Sequence[str]) -> dict[str, object]:
        """Return the arguments that words set explicitly, without defaults."""
        parser = CommandParser(prog=f"mutproof {self._command.name}")
        parser.add_argument("--debug", action="store_true")
        self._command.configure(parser)
        parser.add_undoing()
        parser._defaults.clear()  # noqa: SLF001
        for action in parser._actions:  # noqa: SLF001
            action.default = SUPPRESS
            action.required = action.required and not action.option_strings
        positional = {action.dest for action in parser._actions if not action.option_strings}  # noqa: SLF001
        chosen = vars(parser.parse_args(list(words)))
        return {dest: value for dest, value in chosen.items() if dest not in positional}


def completed(parsed: Namespace, words: Sequence[str]) -> Namespace:
    """Return the arguments of a run, completed from files of settings.

    Their `chosen` determines the options of single files.

    Raises:
        UserError: a file of settings cannot be read, or has an invalid value.
    """
    behind = list(words)[list(words).index(parsed.command) + 1 :]
    chosen = Chosen(COMMANDS[parsed.command], behind, used=not parsed.no_config, path=parsed.config)
    for layer in chosen.of_run(_named(parsed)):
        vars(parsed).update(layer.values)
    parsed.chosen = chosen
    return parsed


def known() -> tuple[str, ...]:
    """Return all keys, of whatever command, in the order of the commands."""
    return tuple(dict.fromkeys(key for command in COMMANDS for key in keys(command)))


def single() -> tuple[str, ...]:
    """Return the keys that concern single files, of whatever command."""
    concerned = {*_concerned(), *_MADE}
    return tuple(
        dict.fromkeys(
            key
            for command in COMMANDS
            for key, action in keys(command).items()
            if action.dest in concerned
        )
    )


def _named(parsed: Namespace) -> list[str]:
    if hasattr(parsed, "files"):
        return list(parsed.files)
    return [name for name in (parsed.file, parsed.other) if name is not None]


def _said(layers: Iterable[Layer]) -> Mapping[str, object]:
    """Return the value of each argument that a layer has, from the last such layer."""
    return {dest: value for layer in layers for dest, value in layer.values.items()}


def _concerned() -> set[str]:
    """Return the names of arguments that apply to single files."""
    return {one.name for one in fields(Options)}


def keys(command: Command) -> Mapping[str, Action]:
    """Return the keys of a command: its long options, except those not allowed in files."""
    parser = CommandParser(prog=command.name)
    command.configure(parser)
    if not any("--rlimit" in action.option_strings for action in parser._actions):  # noqa: SLF001
        return {}
    found = {
        name.removeprefix("--"): action
        for action in parser._actions  # noqa: SLF001
        for name in action.option_strings
        if name.startswith("--")
    }
    return {key: action for key, action in found.items() if key not in NOT_IN_FILES}


def _check(found: Configuration) -> None:
    """Check that each key of a file exists for some command and is in the right table."""
    everything = known()
    commands = [command.name for command in COMMANDS if keys(command)]
    for key in found.values:
        _check_key(found, key, [*everything, *commands, FILES], everything)
    for name, values in found.tables.items():
        if name not in commands:
            _check_key(found, name, [*everything, *commands, FILES], ())
        own = tuple(keys(COMMANDS[name]))
        for key in values:
            _check_key(found, key, own, own)
    of_files = single()
    for section in found.sections:
        for key in section.values:
            if key in everything and key not in of_files:
                message = f"{key} concerns the whole run, so it cannot stand in [[{FILES}]]"
                raise _failure(_shown(found.path), message)
            _check_key(found, key, of_files, of_files)


def _check_key(found: Configuration, key: str, near: Sequence[str], allowed: Sequence[str]) -> None:
    if key in allowed:
        return
    if key in NOT_IN_FILES:
        message = f"{key} belongs on the command line, not in a file of settings"
        raise _failure(_shown(found.path), message)
    guess = option_values.unknown("key", key, near)
    raise _failure(_shown(found.path), guess.message, way_out=guess.way_out)


def _words(found: Configuration, key: str, action: Action, value: object) -> list[str]:
    """Return the words with the same meaning on a command line."""
    name = f"--{key}"
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise _failure(_shown(found.path), f"{key} is true or false, not {value!r}")
        return [name] if value else []
    listed = value if isinstance(value, list) else [value]
    repeated = isinstance(action.default, list)
    separated = "," in str(action.metavar or "")
    fits = all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in listed)
    if not fits or (isinstance(value, list) and not (repeated or separated)):
        what = "text, or a list of text" if repeated or separated else "text or a number"
        raise _failure(_shown(found.path), f"{key} is {what}, not {value!r}")
    if key in _PATHS:
        return [f"{name}={os.path.join(found.folder, str(value))}"]
    if repeated:
        return [f"{name}={one}" for one in listed]
    return [f"{name}={','.join(map(str, listed))}"]


def _read(path: str) -> Configuration:
    try:
        found = read(path)
    except ConfigurationError as error:
        raise _failure(_shown(error.path), error.message) from error
    if found is None:
        raise _failure(path, "has no table [tool.mutproof]")
    return found


def _shown(path: str) -> str:
    """Return the path of a file of settings as shown: relative, if it is below this folder."""
    name = os.path.relpath(path)
    return path if name.startswith(os.pardir) else name


def _failure(where: str, message: str, *, way_out: str = "") -> UserError:
    way_out = way_out or "`mutproof config` prints what counts, and from where"
    return UserError(CODE, f"{where}: {message}", way_out=way_out)
