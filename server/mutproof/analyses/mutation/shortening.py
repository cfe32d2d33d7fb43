"""Find shorter executions that kill, where random ones or those of other mutants did.

What was found first is told first; a shorter execution is told when it is known. The search goes
from short to long, over all mutants, until it has cost a share of what deciding them did: what it
did not come to is not said to be shortest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mutproof.analyses.bench import BATCH, Bench
from mutproof.analyses.mutation.docket import Docket, groups, is_shortest, together
from mutproof.analyses.variant import Case

SHARE = 0.1
LEAST = 1_500_000
"""How much is spent in any case, in solver units; more than that is a share of what was spent."""
EACH = 200_000
"""The most that one question costs."""
DEPTHS = (2, 4, 8, 16, 32, 64)


def shorten(docket: Docket) -> None:
    """Look for shorter executions that kill, and tell what was found."""
    temporal = docket.families.temporal if docket.families is not None else frozenset()
    probes: dict[str, Case] = {}
    for name in docket.told:
        case = docket.cases[name]
        if not case.fails or case.variant.system is not None or case.variant.stated is None:
            continue
        if not temporal.isdisjoint(case.fails):
            continue  # executions without an end have no first step that is wrong
        if not is_shortest(case) and name not in docket.known:
            probes[name] = Case(case.variant, set(case.fails))
    if probes:
        _search(docket, probes)


def _search(docket: Docket, probes: dict[str, Case]) -> None:
    bench = docket.bench()
    limits = {n: min(f.step for f in docket.cases[n].fails.values()) for n in probes}
    most = max(LEAST, int(bench.questions.spent * SHARE)) + bench.questions.spent
    own = bench.questions.effort
    bench.questions.effort = replace(own, rlimit=min(own.rlimit or EACH, EACH))
    try:
        for depth in DEPTHS:
            left = [p for n, p in probes.items() if p.open and p.depth < limits[n]]
            for group in together(groups(left), BATCH):
                docket.means.check_cancelled()
                if bench.questions.spent > most:
                    return
                _search_group(bench, group, depth, limits)
            for name in [n for n, p in probes.items() if not p.open or p.depth >= limits[n]]:
                _tell(docket, name, probes.pop(name))
            if not probes:
                return
    finally:
        bench.questions.effort = own
        for name, probe in probes.items():
            if not probe.open:
                _tell(docket, name, probe)


def _search_group(bench: Bench, group: Sequence[Case], depth: int, limits: dict[str, int]) -> None:
    deepest = min(depth, max(limits[case.variant.name] for case in group))
    bench.search(group, deepest, found=_enough, most=limits)


def _enough(case: Case) -> None:
    """Ask no more of a case: the first violation is a shortest one."""
    case.open = set()


def _tell(docket: Docket, name: str, probe: Case) -> None:
    """Tell what is now known to be shortest."""
    case = docket.cases[name]
    for goal, failure in probe.fails.items():
        if failure.step < case.fails[goal].step:
            case.fails[goal] = failure
    docket.shortest.add(name)
    docket.tell_again(name)
