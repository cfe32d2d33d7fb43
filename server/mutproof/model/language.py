"""What a front end provides: the one interface behind which languages differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Final

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.lexis import Lexis
from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.model.editing import Controlled, EditedElement, NewProperty, Stub, TextEdit
from mutproof.model.formatting import Layout
from mutproof.model.naming import ResolvedNames
from mutproof.model.obligations import ValidityObligation
from mutproof.model.program import Element, Program
from mutproof.model.provenance import Provenance, TermPlace
from mutproof.model.terms import Path, Term
from mutproof.model.traits import Traits
from mutproof.model.written_names import with_names

DEFAULT_LEXIS: Final = Lexis()


@dataclass(frozen=True)
class Parsed:
    """Hold the tree of a text and what is wrong with its syntax.

    `tree` belongs to the language (its `syntax` module) and is opaque to others.
    """

    source: SourceText
    tree: Any
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Elaborated:
    """Hold the program a text means; None where an error leaves no meaning.

    Errors in declarations that the main component does not need do not prevent a program.
    `obligations` could not be decided without a solver: each is a term that must hold for all
    values of its variables, with the diagnostic for the case that it does not.
    """

    parsed: Parsed
    program: Program | None
    provenance: Provenance
    diagnostics: tuple[Diagnostic, ...]  # of parsing and of elaboration
    obligations: tuple[tuple[ValidityObligation, Diagnostic], ...] = ()


@dataclass(frozen=True)
class Language:
    """Describe a language to the rest of the tool."""

    traits: Traits
    suffixes: tuple[str, ...]
    line_comment: str
    parse: Callable[[SourceText], Parsed]
    elaborate: Callable[[Parsed], Elaborated]
    print_term: Callable[[Term], str]
    """Print a component-level term as source text that parses back to it."""
    print_replacement: Callable[[Element, Path, Term], str]
    """Print a subterm so that it may stand at that path of the element, parenthesised if needed."""
    aliases: tuple[str, ...] = ()
    """Other names by which editors call it."""
    lexis: Lexis = DEFAULT_LEXIS
    names: Callable[[Elaborated], ResolvedNames] | None = None
    """Return the names of a text; None: editors use provenance and the words of the text."""
    restate: Callable[[EditedElement, Stub], tuple[TextEdit, ...]] = lambda _, __: ()
    """Return the edits that insert a property which restates an element; empty if impossible."""
    state: Callable[[Elaborated, str, tuple[NewProperty, ...]], tuple[TextEdit, ...]] = (
        lambda _, __, ___: ()
    )
    """Return the edits that add properties to a component of that name; empty if impossible."""
    property_lines: Callable[[NewProperty], tuple[str, ...]] = lambda _: ()
    """Return the lines that state a property, for a place where all its names are declared."""
    remove: Callable[[EditedElement], tuple[TextEdit, ...]] = lambda _: ()
    """Return the edits that remove an element and leave a model; empty if impossible."""
    without_branch: Callable[[EditedElement, Path], tuple[TextEdit, ...]] = lambda _, __: ()
    """Return the edits that take the branch of a condition, which is at a path, out of a list of
    branches that ends in a default; empty if impossible."""
    without_variable: Callable[[Elaborated, str, str], tuple[TextEdit, ...]] = lambda _, __, ___: ()
    """Return the edits that take a variable of a component out of a text, with what defines it;
    empty if anything else mentions it."""
    control: Callable[[Elaborated], Controlled] | None = None
    """Return the edits that turn choices into inputs; None where a language has no choices."""
    format: Callable[[str, Layout], tuple[TextEdit, ...]] = lambda _, __: ()
    """Return the edits of white space that format a text; empty if it cannot be formatted."""
    prepare: Callable[[], object] = lambda: None
    """Load what takes long and all texts need, such as the tables of a grammar."""
    codes: Mapping[str, str] = field(default_factory=dict)
    """What each code of its diagnostics means, in a paragraph."""

    def replacement(
        self,
        places: Mapping[Path, TermPlace],
        element: Element,
        path: Path,
        term: Term,
        *,
        named: frozenset[Term] | None = None,
    ) -> str:
        """Return the text that may replace a subterm of an element that has these places.

        Of constants only the `named` are written by a name (None: any but the whole).
        """
        written, shown = with_names(places, element, path, term, named=named)
        return self.print_replacement(written, path, shown)

    @property
    def called(self) -> frozenset[str]:
        """Return the words by which users may call it: its names, and its suffixes."""
        return frozenset({self.name, *self.aliases, *(s.lstrip(".") for s in self.suffixes)})

    @property
    def name(self) -> str:
        """Return the name by which it is registered."""
        return self.traits.name
