"""Settings from files: options of commands, by name; the command line overrides them.

Values become words of a command line, so that files can give what options can, and wrong values
have the same messages. Settings of single models are read from the file nearest to each; settings
of the run, from the one nearest to their common folder.
"""

from __future__ import annotations

import os
import re
from argparse import SUPPRESS, Action, Namespace
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, Final, NoReturn

from mutproof.base.record import dataclass
from mutproof.cli import arguments as shared
from mutproof.cli import file_values, option_values
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
from mutproof.runtime.toml_lines import Keys
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
        table = self._command.name
        said: dict[str, tuple[Keys, Mapping[str, object]]] = {
            name: ((), found.values),
            f"{name} [{table}]": ((table,), found.tables.get(table, {})),
        }
        for at, one in enumerate(found.sections):
            if one in matching:
                said[f"{name} [[{FILES}]] {', '.join(one.patterns)}"] = ((FILES, at), one.values)
        key = (found.path, *said)
        if key not in self._known:
            _check(found)
            self._known[key] = [
                Layer(origin, self._understood(found, place, values))
                for origin, (place, values) in said.items()
                if values
            ]
        return self._known[key]

    def _understood(
        self, found: Configuration, place: Keys, values: Mapping[str, object]
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
            meant = os.path.join(found.folder, str(value)) if key in _PATHS and value else value
            words += file_values.words(key, action, meant)
        try:
            return off | self._explicit([*words, "--", "."])
        except UserError as error:  # as what other commands take, or options that exclude another
            wrong = re.fullmatch(r"argument --([\w-]+): (.*)", error.message, re.DOTALL)
            key, why = (wrong[1], wrong[2]) if wrong else ("", error.message)
            keys = (*place, key) if wrong else place
            _, excluded, other = why.partition("not allowed with argument --")
            if excluded:
                _fail(found, keys, f"{key} and {other} exclude each other", "keep one of them")
            message = f"{key} of mutproof {self._command.name}: {why}"
            _fail(found, keys, message, _taken(key, values.get(key)))

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
    """Check that each key of a file exists, is in the right table, and has a value it can have."""
    of_commands = {command.name: own for command in COMMANDS if (own := keys(command))}
    takers: dict[str, list[Action]] = {}
    for own in of_commands.values():
        for key, action in own.items():
            takers.setdefault(key, []).append(action)
    for key, value in found.values.items():
        if key in of_commands:
            _fail(found, (key,), f"{key} is a table: write [{key}] above its keys")
        _check_key(found, (key,), [*takers, *of_commands, FILES], takers)
        _check_value(found, (key,), takers[key], value)
    for name, values in found.tables.items():
        if name in takers:
            _check_value(found, (name,), takers[name], values)
        if name not in of_commands:
            _check_key(found, (name,), [*takers, *of_commands, FILES], ())
        for key, value in values.items():
            _check_own_key(found, (name, key), of_commands)
            _check_value(found, (name, key), [of_commands[name][key]], value)
    of_files = single()
    for at, section in enumerate(found.sections):
        for key, value in section.values.items():
            place = (FILES, at, key)
            if key in takers and key not in of_files:
                message = f"{key} concerns the whole run, so it cannot stand in [[{FILES}]]"
                _fail(found, place, message)
            _check_key(found, place, of_files, of_files)
            _check_value(found, place, takers[key], value)


def _check_key(
    found: Configuration, place: Keys, near: Iterable[str], allowed: Collection[str]
) -> None:
    key = str(place[-1])
    if key in allowed:
        return
    if key in NOT_IN_FILES:
        _fail(found, place, f"{key} belongs on the command line, not in a file of settings")
    undone = key.removeprefix("no-")
    if undone != key and undone in allowed:
        _fail(found, place, f"{key} is only for the command line", f"leave out {undone}")
    guess = option_values.unknown("key", key, near)
    _fail(found, place, guess.message, guess.way_out)


def _check_own_key(
    found: Configuration, place: tuple[str, str], of_commands: Mapping[str, Mapping[str, Action]]
) -> None:
    """Check that a command has the key that stands in its table."""
    command, key = place
    own = of_commands[command]
    others = [f"[{name}]" for name, its in of_commands.items() if key in its]
    if key not in own and others:
        message = f"mutproof {command} has no key {key}"
        _fail(found, place, message, f"it can stand above all tables, or in {', '.join(others)}")
    _check_key(found, place, own, own)


def _check_value(
    found: Configuration, place: Keys, takers: Sequence[Action], value: object
) -> None:
    """Check that some of the options with a key takes its value."""
    key, kind = str(place[-1]), file_values.kind(takers[0])
    if not file_values.is_of(kind, value):
        _fail(found, place, *file_values.mistyped(key, kind, value))
    refusals = [file_values.refused(action, value) for action in takers]
    if all(message for message, _ in refusals):
        message, way_out = refusals[0]
        _fail(found, place, f"{key}: {message}", way_out or f"{key}: {takers[0].help}")


def _taken(key: str, value: object) -> str:
    """Say for which commands a value can stand in a file."""
    takers = [(command.name, keys(command).get(key)) for command in COMMANDS]
    tables = [f"[{name}]" for name, action in takers
              if action is not None and not file_values.refused(action, value)[0]]  # fmt: skip
    return f"it can stand in {', '.join(tables)}" if tables else ""


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


def _fail(found: Configuration, place: Keys, message: str, way_out: str = "") -> NoReturn:
    """Refuse what stands at a place of a file."""
    line = found.line(*place)
    name = _shown(found.path)
    raise _failure(name if line is None else f"{name}:{line}", message, way_out=way_out)


def _failure(where: str, message: str, *, way_out: str = "") -> UserError:
    way_out = way_out or "see `mutproof config --schema`, or docs/using.md"
    return UserError(CODE, f"{where}: {message}", way_out=way_out)
