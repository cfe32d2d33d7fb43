"""What users ask of the search for cores, and what they see of its outcome."""

from __future__ import annotations

from dataclasses import replace

from mutproof.analyses.cores import CoreLimits
from mutproof.analyses.finding import ENOUGH, CoresFinding, PropertyFinding
from mutproof.workspace.options import Options


def limits(options: Options) -> CoreLimits:
    """Return when to stop looking for cores of a property."""
    if options.core_search == "one":
        return CoreLimits(cores=1)
    return CoreLimits(options.core_limit, options.core_seconds, options.core_search == "smallest")


def joined(finding: PropertyFinding, found: CoresFinding, options: Options) -> PropertyFinding:
    """Return a finding with cores.

    Where one was asked for, it is all that is shown, unless something about it is open.
    """
    whole = found.complete or found.reason == ENOUGH
    shown = None if whole and options.core_search == "one" else found
    return replace(finding, core=found.cores[0], must=found.must, cores=shown)
