"""Printed terms parse back to themselves, alone and in the place of a part of another."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mutproof.languages.lustre import printer
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from support.lustre_terms import (
    COLOR,
    PAIR,
    POINT,
    ROW,
    elaborated,
    program_text,
    typed_terms,
)
from support.reading import spliced

SORTS: tuple[Sort, ...] = (sorts.BOOL, sorts.INT, sorts.REAL, POINT, ROW, COLOR, PAIR)
PROFILE = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


def element_of(sort: Sort, text: str, *, is_assert: bool = False) -> Element:
    program = elaborated(program_text(sort, text, is_assert=is_assert)).program
    assert program is not None
    return program.component("n").elements[0]


def calls(term: Term) -> bool:
    return any(part.op is Op.CALL for part in walk.subterms(term))


def crowded(term: Term) -> str:
    """Print with all the parentheses and none of the spaces."""

    def inner(part: Term) -> str:
        return f"({crowded(part)})"

    match term.op:
        case Op.NOT | Op.PRE:
            return f"{term.op.value}{inner(term.args[0])}"
        case Op.NEG:
            return f"-{inner(term.args[0])}"
        case Op.ITE:
            condition, then, otherwise = map(inner, term.args)
            return f"if{condition}then{then}else{otherwise}"
        case Op.AND | Op.OR | Op.XOR | Op.ADD | Op.SUB | Op.EQ | Op.DIV | Op.MOD | Op.ARROW:
            return f"{inner(term.args[0])}{term.op.value}{inner(term.args[1])}"
        case Op.FIELD:
            return f"{inner(term.args[0])}.{term.payload}"
        case Op.INDEX:
            return f"{inner(term.args[0])}[{crowded(term.args[1])}]"
        case _:
            return printer.print_term(term)


@PROFILE
@given(st.sampled_from(SORTS).flatmap(typed_terms))
def test_a_printed_term_parses_back_to_itself(term: Term) -> None:
    body = element_of(term.sort, printer.print_term(term)).body

    assert body is term


@PROFILE
@given(st.sampled_from(SORTS).flatmap(lambda sort: typed_terms(sort, 3)))
def test_what_was_printed_before_changes_no_text(term: Term) -> None:
    parts = [part for _, part in walk.occurrences(term)]
    printed = [printer.print_term(part) for part in reversed(parts)]
    printer.forget()
    again = [printer.print_term(part) for part in parts]

    assert again == printed[::-1]


@PROFILE
@given(st.sampled_from(SORTS).flatmap(lambda sort: typed_terms(sort, 3)), st.booleans())
def test_the_text_of_a_place_parses_to_the_subterm(term: Term, tight: bool) -> None:
    text = program_text(term.sort, crowded(term) if tight else printer.print_term(term))
    found = elaborated(text)
    assert found.program is not None
    element = found.program.component("n").elements[0]
    places = found.provenance.elements[element.id]
    for path, part in walk.occurrences(term):
        place = places.place(path)
        if place is None:
            above = [terms.at(term, path[:depth]) for depth in range(len(path))]
            assert any(parent.op is Op.TUPLE for parent in above)
            continue
        if not calls(part) and part.sort in SORTS and part.op is not Op.APPLY:
            again = element_of(part.sort, found.parsed.source.slice(place.whole))
            assert again.body is part


@PROFILE
@given(st.data())
def test_a_replacement_may_stand_in_the_place_of_any_part(data: st.DataObject) -> None:
    sort = data.draw(st.sampled_from(SORTS))
    term = data.draw(typed_terms(sort, 3))
    tight = data.draw(st.booleans())
    is_assert = sort == sorts.BOOL and data.draw(st.booleans())
    text = program_text(
        sort, crowded(term) if tight else printer.print_term(term), is_assert=is_assert
    )
    found = elaborated(text)
    assert found.program is not None
    element = found.program.component("n").elements[0]
    places = found.provenance.elements[element.id].terms
    for path, part in walk.occurrences(term):
        above = [terms.at(term, path[:depth]) for depth in range(len(path))]
        if part.sort not in SORTS or calls(term) or path not in places:
            continue
        new = data.draw(typed_terms(part.sort, 2))
        parent = above[-1] if above else None
        fixed = (Op.INDEX, Op.ARRAY_UPDATE, Op.DIV, Op.MOD)
        if calls(new) or (parent is not None and parent.op in fixed and path[-1] == 1):
            continue  # an index or a divisor may become a constant that is refused
        place = found.provenance.elements[element.id].place(path)
        assert place is not None
        replacement = printer.print_replacement(element, path, new)
        if tight:
            changed = spliced(text, place.whole, replacement)
        else:
            changed = text[: place.whole.start] + replacement + text[place.whole.end :]
        program = elaborated(changed).program
        assert program is not None
        assert program.component("n").elements[0].body is terms.replaced(term, path, new), changed
