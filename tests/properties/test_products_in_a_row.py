"""What depends on a change through compared variables alone is not copied in a product.

Judged by a search through all pairs of executions, where the second interpreter computes both.
"""

from __future__ import annotations

import random

from hypothesis import given

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.observation import Scope, observation
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence.pairs import Pairs
from mutproof.analyses.equivalence.product import Product, product
from mutproof.analyses.equivalence.survivors import Survivors
from mutproof.base.budget import Budget
from mutproof.model.interpretation import interpretation
from mutproof.model.lower import Lowering
from mutproof.solving import certify
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.enumeration import enumerate_mutants
from support.explicit_product import apart
from support.lustre_models import accepted, sources
from support.lustre_mutants import bodies, options, program_of
from support.profiles import profile

EXAMPLES = 60
LOOKED_AT = 10
STAGES = 3
BUDGET = Budget(timeout_s=60)


def means() -> Means:
    return Means(BUDGET, SpacerProcess(), Benches(), lambda: None)


def row(source: random.Random) -> str:
    """Return a node of stages, each of which reads what the others show, and its own memory."""

    def formula(atoms: list[str], depth: int = 2) -> str:
        if depth == 0 or source.random() < 0.2:
            return source.choice(atoms)
        if source.random() < 0.25:
            return f"not {formula(atoms, depth - 1)}"
        operator = source.choice(["and", "or", "xor", "=>", "="])
        return f"({formula(atoms, depth - 1)} {operator} {formula(atoms, depth - 1)})"

    stages = range(STAGES)
    lines, shown = [], ["go"]
    late = [f"(false -> pre o{n})" for n in stages]
    if source.random() < 0.3:  # memories that nothing initialises
        late += [f"pre o{n}" for n in stages]
    for n in stages:
        own = [f"(false -> pre m{n})", f"(true -> pre m{n})", f"(m{n} and not pre m{n})"]
        lines.append(f"  m{n} = {formula([shown[-1], shown[-1], own[0], own[1], *late])};")
        lines.append(f"  o{n} = {formula([f'm{n}', f'm{n}', *shown, *own])};")
        shown.append(f"o{n}")
    if source.random() < 0.4:
        lines.append(f"  assert {formula(['go', *late, *shown, 'm0', f'm{STAGES - 1}'])};")
    outputs = [f"o{n}" for n in stages if n == STAGES - 1 or source.random() < 0.8]
    local = [f"m{n}" for n in stages] + [f"o{n}" for n in stages if f"o{n}" not in outputs]
    return (
        f"node top(go: bool) returns ({', '.join(outputs)}: bool);\nvar {', '.join(local)}: bool;\n"
        "let\n" + "\n".join(lines) + "\ntel;\n"
    )


class Products:
    """Compare mutants of a text with it; caches nothing."""

    def __init__(self, text: str) -> None:
        found = accepted(text)
        self.program = program_of(found)
        self.mutants = tuple(enumerate_mutants(found, options("paper")))
        meaning = interpretation(self.program)
        self.baseline = Baseline(meaning, meaning.system(), {}, {})
        self.load = Mutants(self.baseline, self.mutants).lowered(lambda: None)

    def product(self, mutant: str) -> Product:
        changed = applied(self.load.system, self.load.claims[mutant].variant)
        compared = observation(Lowering(self.program), Scope.OUTPUTS)
        return product(self.load.system, changed, compared)


@profile(EXAMPLES)
@given(sources())
def test_verdicts_on_stages_in_a_row_are_those_of_a_search(source: random.Random) -> None:
    tried = Products(row(source))
    chosen = source.sample(tried.mutants, min(LOOKED_AT, len(tried.mutants)))
    survivors = Survivors(tried.baseline, tuple(chosen), Scope.OUTPUTS, means())
    for mutant in chosen:
        seen = apart(tried.program, bodies(tried.program, mutant), everything=False)
        verdict = survivors.decide(mutant.id, {})
        if verdict.status is EquivalenceStatus.EQUIVALENT:
            assert seen.step is None, mutant.summary
        elif verdict.status is EquivalenceStatus.GAP and seen.exact:
            assert verdict.step is not None
            assert seen.step is not None
            assert seen.step <= verdict.step
            assert not verdict.shortest or seen.step == verdict.step


@profile(EXAMPLES)
@given(sources())
def test_a_part_that_proves_two_sides_the_same_proves_it_of_the_whole(
    source: random.Random,
) -> None:
    tried = Products(row(source))
    visits = Pairs()
    for mutant in source.sample(tried.mutants, min(LOOKED_AT, len(tried.mutants))):
        whole = tried.product(mutant.id)
        supposed = visits.visit_parts(whole)
        if supposed is not None:
            assert certify.certify(whole.system, supposed.certificate, BUDGET).ok
            seen = apart(tried.program, bodies(tried.program, mutant), everything=False)
            assert seen.step is None, mutant.summary


IN_A_ROW = """\
node top(go: bool) returns (first, second: bool);
var seen, again: bool;
let
  seen = go or (false -> pre seen);
  first = seen and go;
  again = first or (false -> pre again);
  second = again and pre first;
tel;
"""


def copied(text: str, element: str) -> set[str]:
    """Return what is copied for some mutant of an element."""
    tried = Products(text)
    mutant = next(m.id for m in tried.mutants if m.element.name == element)
    return set(tried.product(mutant).copied)


def test_only_what_is_read_before_it_is_compared_is_copied() -> None:
    assert {"seen", "seen@pre", "first"} == copied(IN_A_ROW, "seen")
    assert {"first"} == copied(IN_A_ROW, "first")
    assert {"again", "again@pre", "second"} == copied(IN_A_ROW, "again")


def test_where_an_assertion_may_end_one_side_alone_everything_is_copied() -> None:
    asserting = IN_A_ROW.replace("tel;", "  assert again or not go;\ntel;")
    assert {"again", "second"} <= copied(asserting, "seen")
    assert {"again", "again@pre", "second"} == copied(asserting, "again")
    apart_from_it = IN_A_ROW.replace("tel;", "  assert go or not pre go;\ntel;")
    assert {"first"} == copied(apart_from_it, "first")
