"""The steps from a text to its mutants, each computed once for every content.

Pure functions behind content-keyed memos. Mutable only in the memos; owned by one thread.
"""

from __future__ import annotations

from dataclasses import field, replace

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.base.registry import Registry
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model import terms
from mutproof.model.language import Elaborated, Language, Parsed
from mutproof.model.program import Element, ElementId, Program, Role
from mutproof.model.roles import roles
from mutproof.model.terms import Term
from mutproof.model.written_names import with_names
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing, MutantPlace

CAPACITY = 64


@dataclass(slots=True)
class Queries:
    """Read texts and list mutants, remembering the answers for recent contents."""

    languages: Registry[Language] = field(default_factory=lambda: LANGUAGES)
    _parsed: Memo[Parsed] = field(default_factory=lambda: Memo(CAPACITY))
    _elaborated: Memo[Elaborated] = field(default_factory=lambda: Memo(CAPACITY))
    _mutants: Memo[tuple[Mutant, ...]] = field(default_factory=lambda: Memo(CAPACITY))
    _placed: dict[tuple[str, str], tuple[Mutant, Element, Term | None, MutantPlace]] = field(
        default_factory=dict
    )  # of the latest listing

    def parsed(self, language: str, source: SourceText) -> Parsed:
        """Return the tree of a text and what is wrong with its syntax."""
        key = (language, source.name, source.digest)
        return self._parsed.get(key, lambda: self.languages[language].parse(source))

    def elaborated(self, language: str, source: SourceText) -> Elaborated:
        """Return what a text means and what is wrong with it."""
        key = (language, source.name, source.digest)
        return self._elaborated.get(
            key, lambda: self.languages[language].elaborate(self.parsed(language, source))
        )

    def mutants(self, elaborated: Elaborated, options: Options) -> tuple[Mutant, ...]:
        """Return the mutants of a text with a meaning, in the order of the file.

        Raises:
            ValueError: there is no such level.
            KeyError: there is no operator of one of the chosen names.
        """
        # Imported late, as it needs most of the package.
        from mutproof.workspace.enumeration import enumerate_mutants

        part = options.since, options.most_mutants, options.shard, options.only, options.pairs
        program = None if elaborated.program is None else elaborated.program.digest
        key = (elaborated.parsed.source.digest, program, options.level, options.operators, part)
        return self._mutants.get(key, lambda: enumerate_mutants(elaborated, options))

    def listing(self, language: str, elaborated: Elaborated, options: Options) -> Listing:
        """Return the mutants and the design of a text as values without terms."""
        program = elaborated.program
        assert program is not None
        if not options.mutate:
            return Listing(program.digest, (), design(program))
        from mutproof.analyses.mutation.sample import among, of_shard, sampled
        from mutproof.workspace.enumeration import concerned_mutants

        whole = replace(options, since=None, most_mutants=0, shard=(0, 1), only=None)
        everything = self.mutants(elaborated, whole)
        if options.pairs:
            pairs = tuple([self._place_of_pair(language, elaborated, one) for one in everything])
            return Listing(program.digest, pairs, design(program))
        since = options.since
        concerned = everything if since is None else concerned_mutants(elaborated, options)
        chosen = sampled(concerned, options.most_mutants)
        before, self._placed = self._placed, {}
        for mutant in among(of_shard(chosen, options.shard), options.only):
            key = language, mutant.id
            known = before.get(key)
            element, term = _named(elaborated, mutant)
            now = mutant, element, term
            if known is None or known[:3] != now or known[0].shown != mutant.shown:
                known = *now, self._place(language, mutant, element, term)
            self._placed[key] = known
        places = tuple([place for *_, place in self._placed.values()])
        return Listing(
            program.digest,
            places,
            design(program),
            len(concerned) - len(chosen),
            len(everything) - len(concerned),
            "" if since is None else since.change,
        )

    def _place_of_pair(self, language: str, elaborated: Elaborated, pair: Mutant) -> MutantPlace:
        """Return a pair as a value without terms, with both of its changes."""
        parts = tuple(self._place(language, one, *_named(elaborated, one)) for one in pair.parts)
        return replace(
            parts[0],
            mutant=pair.id,
            shown=pair.shown,
            operator=pair.operator,
            summary=" and ".join(part.summary for part in parts),
            parts=parts,
        )

    def _place(
        self, language: str, mutant: Mutant, element: Element, term: Term | None
    ) -> MutantPlace:
        """Return a mutant as a value without terms, with the text that replaces the subterm."""
        replacement, summary = None, mutant.summary
        if term is not None:
            written = self.languages[language].print_replacement
            replacement = written(element, mutant.path, term)
            old = terms.at(element.body, mutant.path)
            if old is not terms.at(mutant.source.body, mutant.path) and " → `" in summary:
                word = written(element, mutant.path, old).strip()  # the name of a constant
                summary = f"`{word}` → `{replacement.strip()}`" if not old.args else summary
        return MutantPlace(
            mutant.id,
            mutant.shown,
            mutant.element,
            mutant.operator,
            mutant.path,
            mutant.place,
            summary,
            replacement,
        )


def _named(elaborated: Elaborated, mutant: Mutant) -> tuple[Element, Term | None]:
    """Return source and replacement of a mutant, with the names that the text has there."""
    if mutant.replacement is None:
        return mutant.source, None
    body = elaborated.provenance.elements[mutant.element].terms
    return with_names(body, mutant.source, mutant.path, mutant.replacement, named=mutant.named)


def design(program: Program) -> tuple[ElementId, ...]:
    """Return the elements that describe the system, in the order of the file."""
    return tuple(element for element, role in roles(program).items() if role is Role.DESIGN)
