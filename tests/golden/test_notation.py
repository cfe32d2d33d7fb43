"""A section cannot pass without saying something true: the checker's own mistakes."""

from __future__ import annotations

import pytest
from notation import NotationError
from test_golden import answered

from mutproof.languages import LANGUAGES

LUSTRE = LANGUAGES["lustre"]
SECTION = """\
## Title

```lustre verdicts mutants operators=g2ge,g2l
node main (a, b : int) returns (ok, x : bool);
let
  x = a > b;
--      ^ survived: g2ge; killed by ok at step 0: g2l
--    ^ definition: node main («a», b : int) returns (ok, x : bool);
  ok = x or a <= b;
  --%PROPERTY ok; --= proved
tel;
```
"""


def check_refused(section: str, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        answered(LUSTRE, section)


def test_a_true_section_stays_as_it_is():
    assert SECTION == answered(LUSTRE, SECTION)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("proved", "falsified after 1 step"),
        (" --= proved", ""),
        ("survived: g2ge; ", ""),
        ("at step 0", "at step 1"),
        ("--      ^ survived", "--    ^ survived"),
        ("--      ^ survived: g2ge; killed by ok at step 0: g2l\n", ""),
        ("«a», b", "a, «b»"),
        ("a > b;", "a > b; --! warning[g2ge]"),
        ("tel;", "--^^ inlay: 1/1\ntel;"),
        ("tel;", "--| more\ntel;"),
    ],
)
def test_a_false_missing_or_misplaced_annotation_is_put_right(right, wrong):
    changed = SECTION.replace(right, wrong)
    assert changed != SECTION
    assert SECTION == answered(LUSTRE, changed)


@pytest.mark.parametrize(
    ("right", "wrong", "why"),
    [
        ("^ definition", "^ definitoin", "no annotation is"),
        ("--    ^ def", "--                 ^ def", "marks no place"),
        ("tel;", "--^broken\ntel;", "no annotation"),
        ("lustre verdicts", "lustre", "no annotation is"),
        ("^ definition:", "^ click Show:", "not the beginning of one title"),
        ("^ definition:", "^ click :", "not the beginning of one title"),
        (" verdicts mutants", " verdict mutants", "asks for what there is not: verdict"),
        ("operators=", "operator=", "asks for what there is not: operator"),
        ("verdicts mutants", "accepted verdicts mutants", "finds nothing"),
        ("```lustre", "```nusmv", "has blocks of these kinds"),
        ("```lustre verdicts mutants operators=g2ge,g2l", "```", "has blocks of these kinds"),
        ("```\n", "```\n\n```verdicts\nok: proved\n```\n", "has blocks of these kinds"),
        ("x or a <= b", "x or", "has no program"),
    ],
)
def test_what_is_not_understood_is_refused(right, wrong, why):
    changed = SECTION.replace(right, wrong)
    assert changed != SECTION
    check_refused(changed, why)


def test_a_section_without_annotations_is_refused_unless_it_says_that_nothing_is_found():
    bare = "## Title\n\n```lustre\nnode n() returns (); let tel;\n```\n"
    check_refused(bare, "finds nothing")
    accepted = bare.replace("```lustre", "```lustre accepted")
    assert accepted == answered(LUSTRE, accepted)


def test_a_place_too_near_to_the_margin_is_refused():
    section = "## T\n\n```lustre colours\nnode n(\n a: int) returns (); let tel;\n```\n"
    check_refused(section, "too near")
