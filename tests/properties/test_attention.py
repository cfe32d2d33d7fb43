"""What somebody looks at is decided first, then what was edited."""

from __future__ import annotations

from collections.abc import Callable

from mutproof.analyses.claims.attention import in_turn, nowhere
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, Origin
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.workspace.analysis import Event, Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import accepted
from support.lustre_mutants import options
from support.reading import analysed

CELLS = 4


def element(name: str) -> ElementId:
    return ElementId("top", "equation", name)


def model(step: str = "if i > 2 then 2 else 1") -> Elaborated:
    """Return counters that never fall below zero, and last by how much they rise."""
    lines, outputs = [], []
    for n in range(CELLS):
        lines.append(f"  c{n} = 0 -> pre c{n} + s;\n  p{n} = c{n} >= 0;\n  --%PROPERTY p{n};\n")
        outputs.append(f"c{n}: int; p{n}: bool")
    declared = "; ".join([*outputs, "s: int"])
    return accepted(
        f"node top(i: int) returns ({declared});\nlet\n{''.join(lines)}  s = {step};\ntel;\n"
    )


def proved(
    text: Elaborated, memory: Memory, attention: Callable[[], frozenset[ElementId]] = nowhere
) -> list[str]:
    """Return the elements whose survivors were found by proofs, in that order."""
    changed = {m.id: m.element.name for m in enumerate_mutants(text, options())}
    found: list[str] = []

    def emit(event: Event) -> None:
        if (
            isinstance(event, MutantFinding)
            and event.status is MutantStatus.SURVIVED
            and event.origin in {Origin.DECIDED, Origin.REPROVED}
            and event.how != "core"
        ):
            found.append(changed[event.mutant])

    analyse(text, options(), memory, emit, cancelled=lambda: False, attention=attention)
    return list(dict.fromkeys(found))


def test_without_attention_and_edits_the_order_stays() -> None:
    assert [3, 1, 2] == list(in_turn([3, 1, 2], lambda n: {element(str(n))}, nowhere))


def test_what_is_looked_at_comes_before_what_was_edited() -> None:
    seen, edited = frozenset({element("2")}), frozenset({element("1"), element("4")})
    found = in_turn(range(5), lambda n: {element(str(n))}, lambda: seen, edited)
    assert [2, 1, 4, 0, 3] == list(found)


def test_attention_can_move() -> None:
    looked_at = frozenset({element("3")})
    found = in_turn(range(5), lambda n: {element(str(n))}, lambda: looked_at)
    assert 3 == next(found)
    looked_at = frozenset({element("4")})
    assert [4, 0, 1, 2] == list(found)


def test_mutants_are_decided_in_the_order_of_the_text() -> None:
    assert ["c0", "c1", "c2", "c3", "s"] == proved(model(), Memory())


def test_mutants_of_what_is_looked_at_are_decided_first() -> None:
    attention = frozenset({element("c2")})
    assert ["c2", "c0", "c1", "c3", "s"] == proved(model(), Memory(), lambda: attention)


def test_mutants_of_what_was_edited_are_decided_before_what_is_decided_again() -> None:
    memory = Memory()
    proved(model(), memory)
    assert ["s", "c0", "c1", "c2", "c3"] == proved(model("if i >= 2 then 2 else 1"), memory)


def test_attention_changes_no_verdict() -> None:
    text = model()
    attention = frozenset({element("c2")})
    first = analysed(text, options())
    other = analyse(
        text,
        options(),
        Memory(),
        lambda _: None,
        cancelled=lambda: False,
        attention=lambda: attention,
    )
    assert [(f.mutant, f.status, f.killed_by) for f in first.mutants] == [
        (f.mutant, f.status, f.killed_by) for f in other.mutants
    ]
