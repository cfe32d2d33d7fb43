"""The shares of workers: each element is in one, and patterns that repeat are in all of them."""

from __future__ import annotations

from collections import Counter

import pytest

from mutproof.analyses.mutation.sample import of_share
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.reading import accepted_in

ROWS = 64
FORMS = ("x{n} = a and b;", "x{n} = a;", "x{n} = a => (b or a);", "x{n} = not (0 > n);")

WIDE = "\n".join(
    [
        "node top(a, b: bool; n: int) returns (x0: bool);",
        f"var {', '.join(f'x{n}' for n in range(1, ROWS))}: bool;",
        "let",
        *(FORMS[n % len(FORMS)].replace("{n}", str(n)) for n in range(ROWS)),
        "  --%PROPERTY x0;",
        "tel;",
        "",
    ]
)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_all_mutants_of_an_element_are_in_one_share(count: int) -> None:
    mutants = enumerate_mutants(accepted_in("lustre", WIDE), Options())
    shares = [of_share(mutants, (number, count)) for number in range(count)]

    assert sorted(m.id for m in mutants) == sorted(m.id for share in shares for m in share)
    elements = [{m.element for m in share} for share in shares]
    assert sum(map(len, elements)) == len({m.element for m in mutants})


def test_what_repeats_every_few_elements_is_divided() -> None:
    mutants = enumerate_mutants(accepted_in("lustre", WIDE), Options())
    one, two = (Counter(m.operator for m in of_share(mutants, (part, 2))) for part in range(2))
    assert len(one) > 3
    assert all(abs(one[operator] - two[operator]) <= 2 for operator in one | two)


def test_shares_have_about_as_many_mutants() -> None:
    long = WIDE.replace("x1 = a;", f"x1 = {' and '.join(['(a or b)'] * 12)};")
    mutants = enumerate_mutants(accepted_in("lustre", long), Options())
    largest = max(Counter(m.element for m in mutants).values())
    assert largest * 5 > len(mutants)

    sizes = [len(of_share(mutants, (number, 2))) for number in range(2)]
    assert abs(sizes[0] - sizes[1]) * 16 < len(mutants)
