"""What workers run: advice where options ask for it, else proofs and mutants."""

from __future__ import annotations

from collections.abc import Callable

from mutproof.analyses.claims.attention import Attention, nowhere
from mutproof.model.language import Elaborated
from mutproof.workspace import analysis
from mutproof.workspace.analysis import Memory
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options


def analyse(
    elaborated: Elaborated,
    options: Options,
    memory: Memory,
    emit: Callable[[Event], None],
    *,
    cancelled: Callable[[], bool],
    attention: Attention = nowhere,
    asked: Callable[[], bool] = lambda: False,
) -> Report:
    """Give advice if the options ask for it, else analyse as `analysis.analyse` does.

    Raises:
        Cancelled: `cancelled` returned true; what was emitted until then stands.
        ValueError: the text has no program (its diagnostics say why).
        KeyError: there is no such operator, strategy or meta-property.
        NumberTooLarge: a number would be too long to be computed.
    """
    if options.advise and elaborated.program is not None:
        from mutproof.workspace.advising import advised  # slow to import

        return advised(elaborated, options, memory, emit, cancelled=cancelled)
    return analysis.analyse(
        elaborated, options, memory, emit, cancelled=cancelled, attention=attention, asked=asked
    )
