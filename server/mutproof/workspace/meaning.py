"""The interpretation of the program of a text, kept for the next analyses of that program."""

from __future__ import annotations

from mutproof.base.memo import Memo
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.language import Elaborated
from mutproof.model.passes import inline
from mutproof.model.program import Program
from mutproof.workspace.options import Options

# A text is often analysed again, with other options or comments, and an edit may be undone. The
# whole program is the key: digests leave out in which order elements are shown.
_interpreted: Memo[Interpretation] = Memo(2)


def _at_granularity(program: Program, options: Options) -> Program:
    """Return the program whose elements have the granularity that options ask for."""
    if options.granularity == "instance" and not options.mutate:
        return inline.inlined(program).program
    return program


def meaning_of(elaborated: Elaborated, program: Program, options: Options) -> Interpretation:
    """Return the interpretation of the program of a text, cached."""
    whole = _at_granularity(program, options)
    key = elaborated.parsed.source.name, whole
    return _interpreted.get(key, lambda: interpretation(whole))
