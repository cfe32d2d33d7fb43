"""Printed NuSMV terms parse back to themselves, alone and in the place of a part of another."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mutproof.languages.nusmv import LANGUAGE, print_term
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from support.nusmv_terms import (
    DECLARATIONS,
    SCALARS,
    define,
    elaborated,
    leaves,
    sets,
    stated,
    temporal_terms,
    typed_terms,
)

PROFILE = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@PROFILE
@given(st.sampled_from(SCALARS).flatmap(typed_terms))
def test_a_printed_term_parses_back_to_itself(term: Term) -> None:
    _, element = define(print_term(term))

    assert term is element.body


@PROFILE
@given(sets(sorts.INT, 2))
def test_a_printed_set_parses_back_to_itself(term: Term) -> None:
    _, element = define(print_term(term))

    assert term is element.body


@PROFILE
@given(temporal_terms((Op.AG, Op.EX, Op.EU, Op.AU, Op.EBF, Op.ABG, Op.EBU)))
def test_a_printed_ctl_property_parses_back_to_itself(term: Term) -> None:
    assert [term] == stated(f"{DECLARATIONS}CTLSPEC {print_term(term)}\n")


@PROFILE
@given(temporal_terms((Op.X, Op.G, Op.F, Op.O, Op.U, Op.V, Op.S)))
def test_a_printed_ltl_property_parses_back_to_itself(term: Term) -> None:
    assert [term] == stated(f"{DECLARATIONS}LTLSPEC {print_term(term)}\n")


def crowded(text: str) -> str:
    """Return a text without the blanks around signs that no name stands before."""
    for sign in ("=", "&", "|", "+", ":", "?", ",", "{", "}", "<", ">", "*", "/"):
        text = text.replace(f" {sign} ", sign)
    return text.replace(") -", ")-")


def bounded(body: Term, path: terms.Path) -> bool:
    """Tell whether a constant at a path would have to be within bounds."""
    above = {terms.at(body, path[:length]).op for length in range(len(path))}
    return not above.isdisjoint({Op.INDEX, Op.SHIFT_LEFT})


@PROFILE
@given(st.data())
def test_a_replacement_may_be_pasted_at_its_place(data: st.DataObject) -> None:
    sort: Sort = data.draw(st.sampled_from(SCALARS))
    body = data.draw(typed_terms(sort))
    text, element = define(crowded(print_term(body)))
    occurrences = [
        (path, term)
        for path, term in walk.occurrences(element.body)
        if term.sort in SCALARS and not bounded(element.body, path)
    ]
    path, old = data.draw(st.sampled_from(occurrences))
    inside_next = any(terms.at(element.body, path[:n]).op is Op.NEXT for n in range(len(path)))
    new = data.draw(leaves(old.sort) if inside_next else typed_terms(old.sort, 2))
    found = elaborated(text)
    places = found.provenance.elements[element.id]
    place = places.place(path)
    assert place is not None

    pasted = LANGUAGE.replacement(places.terms, element, path, new)
    again = elaborated(text[: place.whole.start] + pasted + text[place.whole.end :])

    assert again.program is not None, (pasted, again.diagnostics)
    expected = terms.replaced(element.body, path, new)
    assert expected is again.program.component("main").elements[0].body
