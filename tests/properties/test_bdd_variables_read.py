"""Which variables terms read (`solving.bdd.variables_read`)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mutproof.model import terms, walk
from mutproof.model.sorts import BOOL
from mutproof.model.terms import Term
from mutproof.solving.bdd.variables_read import VariablesRead
from support.profiles import profile
from support.relational_systems import A, D, I, N, combined

READ = combined((A, D, I, terms.eq(N, terms.int_(1)), terms.next_var("a", BOOL)))


@profile(50)
@given(st.lists(READ, max_size=4), st.sets(st.sampled_from("abdin")))
def test_terms_read_the_variables_that_are_in_them(read: list[Term], names: set[str]) -> None:
    reading = VariablesRead()
    for term in read:
        assert bool(reading.of(term) & reading.names(names)) is not walk.variables(term).isdisjoint(
            names
        )
