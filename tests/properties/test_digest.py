"""Digests of records: every field counts that is not said to be without effect."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import pytest

from mutproof.base.budget import Budget
from mutproof.base.digest import digest_fields
from mutproof.workspace.options import EarlierText, Options

OTHER = {
    "level": "all",
    "operators": ("g2ge",),
    "mutate": False,
    "cores": False,
    "budget": Budget(1, 2.0),
    "properties": ("p",),
    "equivalence": "outputs",
    "survivors": ("m",),
    "inputs": ("a",),
    "outputs": ("b",),
    "core_search": "all",
    "core_limit": 3,
    "core_seconds": 1.0,
    "granularity": "instance",
    "strategy": "restart",
    "since": EarlierText("node", "the change"),
    "most_mutants": 9,
    "shard": (1, 3),
    "only": ("0123",),
    "pairs": (("0123", "4567"),),
    "share": (1, 2),
    "mutants": ("n",),
}
"""Another value for each option that can change a verdict."""

WITHOUT_EFFECT = {
    "suggest": True,
    "suite": True,
    "order": 2,
    "most_pairs": 5,
    "earlier": "{}",
    "invariants": True,
    "duplicates": True,
    "advise": ("MP1",),
    "elements": ("x",),
    "timeout_s": 5.0,
    "certify": True,
    "stage": "mutants",
}


def test_each_option_is_looked_at() -> None:
    assert {f.name for f in fields(Options)} == OTHER.keys() | WITHOUT_EFFECT.keys()


@pytest.mark.parametrize("name", OTHER)
def test_an_option_that_can_change_a_verdict_changes_the_digest(name: str) -> None:
    assert Options().digest != replace(Options(), **{name: OTHER[name]}).digest


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_an_option_that_changes_no_verdict_changes_no_digest(name: str) -> None:
    assert Options().digest == replace(Options(), **{name: WITHOUT_EFFECT[name]}).digest


@dataclass(frozen=True)
class Pair:
    one: object = ()
    other: object = ()
    comment: str = field(default="", metadata={"counts": False})


def test_where_a_value_stands_counts_and_what_it_is() -> None:
    different = [
        Pair(("a", "b"), ()),
        Pair(("a",), ("b",)),
        Pair(("a,b",), ()),
        Pair(("ab",), ()),
        Pair("a", "b"),
        Pair(1, True),
        Pair(True, 1),
        Pair(1.0, 1),
        Pair("1", 1),
        Pair(b"1", 1),
        Pair(Pair("a"), ()),
        Pair(None, None),
    ]
    assert len(different) == len({digest_fields(pair) for pair in different})
    assert digest_fields(Pair("a")) == digest_fields(Pair("a", comment="said"))


def test_what_has_no_fixed_text_has_no_digest() -> None:
    with pytest.raises(TypeError, match="a set has no digest"):
        digest_fields(Pair({"a"}))
