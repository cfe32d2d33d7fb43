"""Traversals visit what a plain recursion visits, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.terms import Path, Term
from support.lustre_terms import typed_terms
from support.profiles import profile

anything = st.sampled_from((sorts.BOOL, sorts.INT, sorts.REAL)).flatmap(typed_terms)


def visited(term: Term, path: Path = ()) -> Iterator[tuple[Path, Term]]:
    yield path, term
    for index, arg in enumerate(term.args):
        yield from visited(arg, (*path, index))


@profile(60)
@given(anything)
def test_occurrences_come_in_source_order(term: Term) -> None:
    assert list(visited(term)) == list(walk.occurrences(term))


@profile(60)
@given(anything)
def test_subterms_are_the_distinct_occurrences(term: Term) -> None:
    found = list(walk.subterms(term))

    assert {part for _, part in visited(term)} == set(found)
    assert len(set(found)) == len(found) == walk.size(term)
    assert term is found[0]


@profile(60)
@given(anything)
def test_a_fold_sees_arguments_before_the_term(term: Term) -> None:
    order: list[Term] = []

    def combine(part: Term, depths: tuple[int, ...]) -> int:
        order.append(part)
        assert all(arg in order for arg in part.args)
        return 1 + max(depths, default=0)

    assert walk.depth(term) == walk.fold(term, combine)
    assert len(order) == len(set(order))


@profile(60)
@given(anything)
def test_variables_are_the_names_that_occur(term: Term) -> None:
    names = {str(part.payload) for _, part in visited(term) if part.op is Op.VAR}

    assert names == walk.variables(term)


@profile(60)
@given(anything)
def test_what_is_kept_of_large_terms_is_what_occurs_in_them(term: Term) -> None:
    operators = {part.op for _, part in visited(term)}
    names = walk.variables(term)
    with patch.object(walk, "LARGE", 1), patch.object(walk, "MOST_KEPT", 2):
        for part in (term, *term.args, term):
            assert walk.operators(part) <= operators
            assert walk.variables(part) <= names
        assert operators == walk.operators(term) == walk.operators(*term.args, term)
        assert names == walk.variables(term)


@profile(60)
@given(anything)
def test_renaming_there_and_back_changes_nothing(term: Term) -> None:
    away = walk.renamed(term, lambda name: f"{name}'")

    assert {f"{name}'" for name in walk.variables(term)} == walk.variables(away)
    assert term is walk.renamed(away, lambda name: name[:-1])


@profile(60)
@given(anything)
def test_replacements_are_not_entered_again(term: Term) -> None:
    i, j = terms.var("i", sorts.INT), terms.var("j", sorts.INT)
    swapped = walk.substituted(term, {i: j, j: i})

    assert term is walk.substituted(swapped, {i: j, j: i})
