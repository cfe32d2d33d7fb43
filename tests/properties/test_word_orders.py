"""Words that are read together are interleaved bit by bit, so that relations of them are small."""

from __future__ import annotations

import pytest

from mutproof.model.interpretation import interpretation
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.relation import partitioned
from support.deadlines import UNHURRIED
from support.lustre_mutants import program_of
from support.nusmv_mutants import accepted

WIDTH = 24


def encoder(declared: str, stated: str) -> Encoder:
    system = interpretation(program_of(accepted(f"MODULE main VAR {declared} {stated}"))).system()
    return Encoder(Manager(UNHURRIED, reordering=False), system)


@pytest.mark.parametrize(
    "stated",
    [
        pytest.param("TRANS next(a) = b", id="equal"),
        pytest.param("TRANS next(a) = a + b", id="sum"),
        pytest.param("TRANS next(i) = (a < b)", id="less"),
        pytest.param("DEFINE c := b; TRANS next(a) = (i ? c : a)", id="by a definition"),
    ],
)
def test_relations_of_words_have_diagrams_that_grow_with_their_width(stated: str) -> None:
    declared = f"a : word[{WIDTH}]; other : word[8]; i : boolean; b : word[{WIDTH}];"
    found = encoder(declared, stated)
    size = max(found.manager.size(part) for part in partitioned(found).parts)
    assert WIDTH < size < 12 * WIDTH


def test_words_of_other_widths_or_apart_keep_their_bits_together() -> None:
    found = encoder("a : word[2]; b : word[3]; c : word[2]; d : word[2];", "TRANS next(a) = c")
    together = ("a^1", "c^1", "a^0", "c^0")
    assert (*together, "b^2", "b^1", "b^0", "d^1", "d^0") == found.manager.order()
