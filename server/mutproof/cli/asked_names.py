"""Check names of properties, elements, variables and mutants in options: some file has each."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.claims.observation import is_part
from mutproof.base.diagnostics import has_errors
from mutproof.cli import option_values
from mutproof.cli.inputs import Input, without_need_of_properties
from mutproof.model import sorts
from mutproof.model.instances import unfold
from mutproof.model.program import Program
from mutproof.workspace.options import Options


class AskedNames:
    """Gather the names of programs, to find those in options that no program has."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._properties: dict[str, None] = {}
        self._elements: dict[str, None] = {}
        self._variables: dict[str, None] = {}
        self._mutants: dict[str, str] = {}  # as people are shown them
        self._has_errors = False

    def add(self, read: Input, own: Options) -> None:
        """Add the names in a file that was read; `own` are the options for it."""
        self._has_errors |= has_errors(without_need_of_properties(read).diagnostics)
        program = None if read.elaborated is None else read.elaborated.program
        if read.elaborated is None or program is None:
            return
        self._properties.update(dict.fromkeys(_property_names(program)))
        for element in program.elements():
            self._elements.update(dict.fromkeys(program.called(element.id)))
        if self._options.outputs or self._options.inputs:
            self._variables.update(dict.fromkeys(_variable_names(program)))
        if self._options.survivors:
            from mutproof.workspace.enumeration import enumerate_mutants

            for mutant in enumerate_mutants(read.elaborated, own):
                self._mutants |= {mutant.shown: mutant.shown, mutant.id: mutant.shown}

    def check(self) -> None:
        """Check that each name asked for is one of some program, unless a file has errors.

        What has errors may be what was asked for, and the command fails in any case.

        Raises:
            UserError: one is not.
        """
        options = self._options
        if self._has_errors:
            return
        for wanted in options.properties:
            known = self._properties
            if known and not any(is_named(name, wanted) for name in known):
                raise option_values.unknown("property", wanted, known)
        for wanted in options.elements:
            if self._elements and wanted not in self._elements:
                readable = sorted(self._elements, key=lambda name: ("#" in name, "." in name))
                raise option_values.unknown("element", wanted, readable)
        for wanted in (*options.outputs, *options.inputs):
            known = self._variables
            if known and not any(is_part(name, wanted) for name in known):
                raise option_values.unknown("variable", wanted, known)
        for wanted in options.survivors:
            if self._mutants and wanted not in self._mutants:
                raise option_values.unknown("mutant", wanted, self._mutants.values())


def _property_names(program: Program) -> Iterator[str]:
    """Yield the names of the properties of a program."""
    for component in program.components:
        for stated in component.properties:
            yield stated.name


def is_named(declared: str, wanted: str) -> bool:
    """Tell whether `wanted` may name an occurrence of a declared property."""
    return wanted == declared or wanted.endswith(f".{declared}")


def _variable_names(program: Program) -> Iterator[str]:
    for instance in unfold(program):
        for variable in program.component(instance.component).variables:
            yield instance.prefix + variable.name
            for suffix, _ in sorts.leaves(variable.sort):
                yield instance.prefix + variable.name + suffix
