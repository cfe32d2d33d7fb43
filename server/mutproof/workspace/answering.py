"""What workers run: advice where options ask for it, else proofs and mutants.

What gives advice is imported only then.
"""

from __future__ import annotations

from typing import Any

from mutproof.model.language import Elaborated
from mutproof.workspace import analysis
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options


def analyse(elaborated: Elaborated, options: Options, *given: Any, **named: Any) -> Report:
    """Do what `advising.analyse` does, with its arguments."""
    if not options.advise:
        return analysis.analyse(elaborated, options, *given, **named)
    from mutproof.workspace import advising

    return advising.analyse(elaborated, options, *given, **named)
