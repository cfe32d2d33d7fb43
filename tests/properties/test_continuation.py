"""Whether executions go on fairly, by solvers, as diagrams tell; what a finite one refutes then."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.model.interpretation import interpretation
from mutproof.solving import continuation
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import Holding
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.deadlines import UNHURRIED
from support.reading import accepted_in, analysed, elaborated_in

COUNTED = "MODULE main VAR n : integer; b : boolean; INIT n = 0 TRANS "


def models(count: int) -> Iterator[str]:
    """Yield small random models with constraints and fairness conditions."""
    for seed in range(count):
        source = random.Random(seed)

        def atom(source: random.Random = source, *, ahead: bool) -> str:
            name = source.choice(("x", "y"))
            left = f"next({name})" if ahead and source.random() < 0.6 else name
            return f"{left} {source.choice(('<', '=', '!=', '>='))} {source.randint(0, 2)}"

        def either(source: random.Random = source, *, ahead: bool) -> str:
            sign = source.choice(("&", "|", "->", "->"))
            return f"({atom(source, ahead=ahead)} {sign} {atom(source, ahead=ahead)})"

        lines = ["MODULE main", "VAR x : 0..2; y : 0..2;", "INIT x = 0"]
        lines += [f"TRANS {either(ahead=True)}" for _ in range(source.randint(0, 2))]
        if source.random() < 0.5:
            lines.append(f"INVAR {either(ahead=False)}")
        lines += [f"JUSTICE {atom(ahead=False)}" for _ in range(source.randint(0, 2))]
        if source.random() < 0.3:
            lines.append(f"COMPASSION ({atom(ahead=False)}, {atom(ahead=False)})")
        yield "\n".join(lines)


def test_all_reachable_states_begin_a_fair_path_where_solvers_say_so() -> None:
    said = {False: 0, True: 0}
    for text in models(24):
        found = accepted_in("nusmv", f"{text}\nLTLSPEC FALSE\nCTLSPEC AG EG TRUE")
        system = interpretation(found.program).system()
        if not continuation.goes_on(system):
            said[False] += 1
            continue
        names = tuple(stated.name for stated in system.properties)
        verdicts = check(system, names, UNHURRIED)
        stays = names[1]
        assert isinstance(verdicts[stays], Holding), text
        # Some path is fair, unless no state is initial.
        empty = isinstance(verdicts[names[0]], Holding)
        assert not empty or "INVAR" in text, text
        said[True] += not empty
    assert min(said.values()) > 4


def told(model: str, stated: str, memory: Memory) -> tuple[PropertyVerdict, bool]:
    """Return the verdict on a property, and whether an execution that does not return shows it."""
    found = elaborated_in("nusmv", f"{COUNTED}{model}\n{stated}\n")
    options = Options(mutate=False, cores=False)
    (finding,) = analysed(found, options, memory).properties
    return finding.verdict, finding.trace is not None and finding.trace.loop is None


@pytest.mark.parametrize(
    ("model", "is_false"),
    [
        pytest.param("next(n) > n FAIRNESS b", True, id="fair"),
        pytest.param("next(n) = n + 1 & n < 7", False, id="it ends"),
        pytest.param("next(n) = n + 1 JUSTICE n < 3", False, id="unfair"),
    ],
)
def test_an_execution_refutes_where_all_go_on(model: str, *, is_false: bool) -> None:
    verdict = PropertyVerdict.FALSIFIED if is_false else PropertyVerdict.PROVED
    assert (verdict, is_false) == told(model, "LTLSPEC G n < 3", Memory())


def test_a_kept_execution_refutes_no_more_where_an_edit_ends_it() -> None:
    memory, stated = Memory(), "CTLSPEC AG n < 3"
    for model in ("next(n) = n + 1", "next(n) = n + 1"):
        assert (PropertyVerdict.FALSIFIED, True) == told(model, stated, memory)
    assert (PropertyVerdict.PROVED, False) == told("next(n) = n + 1 & n < 5", stated, memory)


def test_an_execution_refutes_again_where_assignments_imply_a_constraint() -> None:
    text = """MODULE main VAR n : 0..3; b : boolean;
    ASSIGN init(n) := 0; next(n) := b & n < 2 ? n + 1 : n; TRANS n <= 2
    CTLSPEC AG n < 2;"""
    found, memory, options = accepted_in("nusmv", text), Memory(), Options(mutate=False)
    once, again = (analysed(found, options, memory).properties[0] for _ in range(2))
    assert (once.verdict, once.k, once.trace) == (again.verdict, again.k, again.trace)
    assert once.verdict is PropertyVerdict.FALSIFIED
