"""Terms: equal ones are one object, digests are of the content, tables keep both."""

from __future__ import annotations

import gc
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.model import sorts, tables, terms, walk
from mutproof.model.operators import Op
from mutproof.model.terms import Term
from support.lustre_terms import typed_terms
from support.profiles import profile

anything = st.sampled_from((sorts.BOOL, sorts.INT, sorts.REAL)).flatmap(typed_terms)


def rebuilt(root: Term) -> Term:
    return walk.fold(root, lambda t, args: terms.make(t.op, t.sort, args, t.payload))


@profile(60)
@given(anything)
def test_a_term_built_again_is_the_same_object(term: Term) -> None:
    assert term is rebuilt(term)


@profile(60)
@given(anything, anything)
def test_digests_are_equal_exactly_for_equal_terms(left: Term, right: Term) -> None:
    assert (left is right) == (left.digest == right.digest)


@profile(60)
@given(anything)
def test_a_term_crosses_processes_as_a_table(term: Term) -> None:
    plain = json.loads(json.dumps(tables.terms_to_plain([term, term])))

    assert (term, term) == tables.terms_from_plain(plain)


@profile(60)
@given(anything, st.data())
def test_replacing_one_occurrence_changes_that_occurrence_only(
    term: Term, data: st.DataObject
) -> None:
    places = list(walk.occurrences(term))
    path, part = data.draw(st.sampled_from(places))
    mark = terms.var("mark", part.sort)
    changed = terms.replaced(term, path, mark)

    assert mark is terms.at(changed, path)
    assert term is terms.replaced(changed, path, part)
    for other, old in places:
        apart = other[: len(path)] != path and path[: len(other)] != other
        if apart:
            assert old is terms.at(changed, other)


def test_values_of_different_types_make_different_constants() -> None:
    assert terms.int_(1) is not terms.bool_(True)
    assert terms.int_(1) is not terms.const(1, sorts.REAL)
    assert terms.int_(1).digest != terms.const(1, sorts.REAL).digest


def test_a_deep_term_needs_no_deep_stack() -> None:
    deep = terms.var("x", sorts.BOOL)
    for _ in range(50_000):
        deep = terms.not_(deep)

    assert 50_001 == walk.depth(deep)
    assert {"x"} == walk.variables(deep)
    assert (deep,) == tables.terms_from_plain(tables.terms_to_plain([deep]))
    assert 50_001 == sum(1 for _ in walk.subterms(deep))
    assert deep is rebuilt(deep)
    assert isinstance(deep.digest, bytes)


def test_what_nobody_holds_is_forgotten() -> None:
    def build() -> int:
        made = terms.arithmetic(Op.ADD, terms.int_(1234567), terms.int_(7654321))
        assert made is terms.arithmetic(Op.ADD, terms.int_(1234567), terms.int_(7654321))
        return len(terms._table)

    full = build()
    gc.collect()
    assert len(terms._table) < full


def test_a_term_is_not_pickled() -> None:
    import pickle

    with pytest.raises(TypeError, match=r"model\.tables"):
        pickle.dumps(terms.TRUE)
