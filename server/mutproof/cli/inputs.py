"""From the paths a user names to texts in a known language, or to what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from mutproof.base.diagnostics import Diagnostic, Severity, has_errors
from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.cli.failure import UserError
from mutproof.model.language import Elaborated, Language
from mutproof.reporters.reported_file import ReportedFile
from mutproof.runtime import files
from mutproof.workspace import sources

NO_PROPERTY: Final = "no-property"


@dataclass(frozen=True)
class Input:
    """Hold one file as far as it could be understood.

    `elaborated` is None where the file could not be read at all. `diagnostics` are all those of
    reading, parsing and elaboration. `needs_properties`: the command needs some.
    """

    source: SourceText
    language: Language | None = None
    elaborated: Elaborated | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    needs_properties: bool = True

    @property
    def is_usable(self) -> bool:
        """Tell whether the file has a program that can be analysed, with properties if needed."""
        program = None if self.elaborated is None else self.elaborated.program
        if program is None:
            return False
        stated = any(component.properties for component in program.components)
        return stated or not self.needs_properties


@dataclass(frozen=True)
class Expanded:
    """Hold the files that names stand for, and what is wrong with other names.

    `in_folders` are those found in folders, not named themselves.
    """

    files: tuple[str, ...]
    in_folders: frozenset[str]
    wrong: tuple[Input, ...]


def expanded(names: Iterable[str]) -> Expanded:
    """Return the files that the names stand for.

    A folder stands for all models below it, in order of their paths; hidden folders are left
    out. A file is returned once however often it is named, as it is named first.

    Raises:
        UserError: a name is empty.
    """
    found: dict[str, str] = {}
    named: set[str] = set()
    wrong: list[Input] = []
    for name in names:
        if not name:
            message = "the name of a file is empty"
            raise UserError("usage", message, way_out="name a model, or a folder of models")
        if not os.path.isdir(name):
            named.add(found.setdefault(_same(name), name))
            continue
        unread: list[OSError] = []
        models = list(_models(Path(name), unread.append))
        for model in models:
            found.setdefault(_same(model), model)
        for error in unread:
            message = f"cannot read this folder: {error.strerror}"
            wrong.append(_wrong(str(error.filename), files.problem("file-unreadable", message)))
        if not models and not unread:
            problem = files.problem(
                "no-models",
                "there is no model in this folder",
                f"models end in {', '.join(sources.suffixes())}",
            )
            wrong.append(_wrong(name, problem))
    paths = tuple(found.values())
    return Expanded(paths, frozenset(paths) - named, tuple(wrong))


def _same(name: str) -> str:
    """Return what is equal for two ways to write a path; links are not followed."""
    return name if os.pardir in Path(name).parts else os.path.normpath(name)


def _wrong(name: str, problem: Diagnostic) -> Input:
    return Input(SourceText(name, ""), diagnostics=(problem,))


def _models(folder: Path, unreadable: Callable[[OSError], None]) -> Iterator[str]:
    suffixes = sources.suffixes()
    for parent, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(suffixes):
                yield os.path.join(parent, name)


def read(name: str) -> Input:
    """Read, parse and elaborate a file; whatever is wrong with it is in the diagnostics."""
    return understood(opened(name))


def opened(name: str) -> Input:
    """Read a file; the diagnostics say why there is nothing to parse, if so."""
    empty = SourceText(name, "")
    language = sources.language_of(name)
    source, problems = files.read(Path(name))
    if source is None:
        return Input(empty, language, diagnostics=problems)
    source = SourceText(name, source.content)
    if language is None:
        problem = files.problem(
            "unknown-language",
            "the language of this file is not known",
            f"name it with one of the suffixes {', '.join(sources.suffixes())}",
        )
        return Input(empty, diagnostics=(problem,))
    return Input(source, language)


def content(name: str) -> str:
    """Return the content of a file that need not be a model.

    Raises:
        UserError: it cannot be read.
    """
    source, problems = files.read(Path(name))
    if source is None:
        found = problems[0]
        named = found.message if name in found.message else f"{name}: {found.message}"
        raise UserError(found.code, named, way_out=found.help)
    return source.content


def late(name: str, seconds: float) -> Input:
    """Return the input for a file that took more than `seconds` to read, with that diagnostic."""
    problem = files.problem(
        "out-of-time",
        f"not read within {seconds:g} seconds; every verdict on it is unknown",
        "give it more time with --file-timeout, or split the model",
    )
    return Input(SourceText(name, ""), sources.language_of(name), diagnostics=(problem,))


def understood(file: Input) -> Input:
    """Parse and elaborate a file, unless it could not be read."""
    language = file.language
    if language is None or file.diagnostics:
        return file
    elaborated = language.elaborate(language.parse(file.source))
    return Input(file.source, language, elaborated, _completed(elaborated))


def _completed(elaborated: Elaborated) -> tuple[Diagnostic, ...]:
    """Return the diagnostics; add one if there is nothing to prove and none says why."""
    diagnostics = elaborated.diagnostics
    codes = {diagnostic.code for diagnostic in diagnostics}
    program = elaborated.program
    if program is None:
        if any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics):
            return diagnostics
        return (*diagnostics, files.problem("no-main", "there is no component to analyse"))
    if any(component.properties for component in program.components):
        return diagnostics
    if NO_PROPERTY in codes or has_errors(diagnostics):
        return diagnostics  # a property may be what has errors
    problem = files.problem(
        NO_PROPERTY,
        "there is no property to prove",
        "state one: `--%PROPERTY name;` in Lustre, `INVARSPEC` in NuSMV",
    )
    return (*diagnostics, problem)


def without_need_of_properties(file: Input) -> Input:
    """Return the file for a command that needs no properties."""
    diagnostics = tuple(d for d in file.diagnostics if d.code != NO_PROPERTY)
    return replace(file, diagnostics=diagnostics, needs_properties=False)


def usable(name: str) -> tuple[SourceText, Language, Elaborated]:
    """Return text and meaning of a model for a command that needs no properties.

    Raises:
        UserError: the file is no model, or it has errors.
    """
    file = without_need_of_properties(read(name))
    if file.language is None or not file.is_usable or has_errors(file.diagnostics):
        message = file.diagnostics[0].message if file.diagnostics else "not a model"
        raise UserError(
            "unusable-model",
            f"{name}: {message}",
            way_out="`mutproof prove` says more",
            diagnosed=(file.source, file.diagnostics) if file.diagnostics else None,
        )
    assert file.elaborated is not None
    return file.source, file.language, file.elaborated


def states_nothing(file: ReportedFile) -> bool:
    """Tell whether a file's only problem is that it has no property."""
    errors = {found.code for found in file.diagnostics if found.severity is Severity.ERROR}
    return file.report is None and errors == {NO_PROPERTY}
