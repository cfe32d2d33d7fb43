"""Equal rows of executions are kept once, as long as some table uses them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims import kills
from mutproof.base.rows import RowTable, width
from mutproof.base.shared_rows import SharedRows
from mutproof.model.evaluator import Evaluator
from mutproof.model.trace import Choices
from mutproof.workspace.analysis import Memory
from support.lustre_models import accepted
from support.lustre_mutants import report
from support.profiles import profile

VALUES = st.sampled_from([0, 1, True, False, "a", (1, 0), (True, False), ((1, 0),), ((True, 0),)])


@profile(60)
@given(
    st.lists(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=4), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
def test_tables_keep_their_values_while_others_come_and_go(
    tables: list[list[tuple[Any, ...]]], source: random.Random
) -> None:
    rows, kept = SharedRows(), list[RowTable]()
    for given_rows in tables:
        table = RowTable(("x", "y"), tuple(map(tuple, given_rows)))
        shared = rows.shared(table)
        assert repr(shared) == repr(table)
        kept.append(shared)
        if source.random() < 0.3:
            rows.release(kept.pop(source.randrange(len(kept))))
        assert rows.values == 2 * len({id(row) for one in kept for row in one.rows})
    for one in kept:
        rows.release(one)
    assert rows.values == 0


def test_equal_rows_are_one_row_unless_their_types_differ() -> None:
    rows = SharedRows()
    names, first = ("x", "y"), (1, "long " * 3)
    one = rows.shared(RowTable(names, (first, (True, "long " * 3))))
    other = rows.shared(RowTable(names, ((1, "long " * 3),)))
    assert other.rows[0] is one.rows[0] is first
    assert one.rows[1][0] is True
    assert rows.values == 4
    copied = rows.copied()
    rows.release(one)
    rows.release(other)
    assert (rows.values, copied.values) == (0, 4)


ROW = "\n".join(
    [
        "node top(a: bool) returns (ok: bool);",
        "var " + " ".join(f"n{i}: int; c{i}: bool;" for i in range(45)),
        "let",
        *(
            f"  c{i} = {f'n{i - 1} > 0' if i else 'a'};"
            f"  n{i} = 0 -> if c{i} and pre n{i} < 3 then pre n{i} + 1 else pre n{i};"
            for i in range(45)
        ),
        "  ok = n0 <= 3 and n44 <= 3;",
        "  --%PROPERTY ok;",
        "tel",
    ]
)


def test_all_executions_are_kept_after_edits_though_they_have_more_values_than_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A text that was edited and is as before needs no execution again: many have equal rows."""
    run = list[Choices]()
    execute = Evaluator.run

    def noted(self: Evaluator, choices: Choices, *rest: Any, **more: Any) -> Any:
        run.append(choices)
        return execute(self, choices, *rest, **more)

    monkeypatch.setattr(Evaluator, "run", noted)
    counts = []
    for part in (4, 1 / 2, 1 / 64):
        memory = Memory()
        traces = [m.trace for m in report(accepted(ROW), memory=memory).mutants if m.trace]
        values = sum(len(trace.steps) * width(trace.steps) for trace in traces)
        monkeypatch.setattr(kills, "MOST_VALUES", int(values * part))
        for text in (ROW.replace("n44 <= 3", "n44 <= 4"), ROW):
            run.clear()
            report(accepted(text), memory=memory)
        counts.append(len(run))
        monkeypatch.undo()
        monkeypatch.setattr(Evaluator, "run", noted)
    everything, half, little = counts
    assert everything == half < little
