"""Random NuSMV models on the product and on the evaluator of trees: no difference.

`python tests/differential.py --language nusmv --count 10000` tries more.
"""

from __future__ import annotations

import pytest

from support import tree_nusmv
from support.nusmv_difference import compare, differences, verdicts

CHUNK = 50
MODELS = 250


@pytest.mark.parametrize("first", range(1, MODELS, CHUNK))
def test_random_models_mean_the_same_to_both(first: int) -> None:
    found = [text for seed in range(first, first + CHUNK) for text in differences(seed, every=10)]

    assert [] == found


TEXT = """
MODULE sub(p, low)
VAR x$1 : low..1; w : signed word[2]; a : array 0..1 of boolean; m : {red, 2};
DEFINE d := x$1 > 0; e := [a[1], p]; s := {1, 0};
ASSIGN
  init(x$1) := {-1, 0};
  next(x$1) := case p : x$1 < 1 ? x$1 + 1 : low; !p : x$1; esac;
  w := 0sd2_1 + 0sd2_1;
  a[0] := TRUE; next(a[1]) := next(a[0]);
  next(m) := red union m;
MODULE main
IVAR i : boolean;
VAR s : sub(go & TRUE, -1); go : boolean;
TRANS next(go) = go & (i -> next(s.x$1) in {-1, 0, 1})
INVAR go
INVARSPEC s.w < 0sd2_0;
INVARSPEC s.d -> s.e[toint(go) - 1];
INVARSPEC !s.d;
INVARSPEC s.a[abs(s.x$1)] | s.x$1 != 0 | i;
INVARSPEC next(s.x$1) != s.x$1;
LTLSPEC G F s.x$1 = -1;
LTLSPEC G (s.m = red -> H [1, 1] s.m = 2);
LTLSPEC X Y (s.x$1 in s.s) -> s.x$1 = 0;
SPEC AG EF s.d;
SPEC EG s.m = 2;
COMPUTE MAX [s.x$1 = -1, s.d];
"""
EXPECTED = [True, True, False, True, True, True, False, True, True, False, "2"]


def test_the_evaluator_of_trees_decides_by_itself() -> None:
    assert EXPECTED == verdicts(tree_nusmv.read(TEXT))


def test_an_invariant_that_reads_inputs_is_true_of_a_state_without_successor() -> None:
    text = "MODULE main\nIVAR i : boolean;\nVAR s : boolean;\nTRANS FALSE;\nINVARSPEC {};\n"

    assert [True] == verdicts(tree_nusmv.read(text.format("i")))
    assert [False] == verdicts(tree_nusmv.read(text.format("s")))
    assert [] == list(compare(text.format("i"), mutate=True))
    assert [] == list(compare(text.format("i & s"), mutate=True))


MIXED = """
MODULE main
VAR n : 0..2; a : array -1..0 of 0..2; b : boolean; w : word[2]; m : {red, 1, 2};
DEFINE d := b ? red : n + 1; e := case toint(w) + count(b) > n : a[-1]; TRUE : red; esac;
ASSIGN next(m) := {d = 1 ? red : m, e = 2 ? 1 : red}; init(n) := 0; next(n) := min(n + 1, 2);
INVARSPEC d in {red, 1, 2, 3};
INVARSPEC e = red -> toint(w) <= n;
INVARSPEC (b ? toint(w) : red) != red -> b;
"""


def test_integers_that_are_computed_meet_symbols() -> None:
    assert [True, True, True] == verdicts(tree_nusmv.read(MIXED))
    assert [] == list(compare(MIXED, mutate=True))


def test_a_kill_of_an_invariant_on_next_values_shows_the_next_values() -> None:
    text = """
MODULE main
VAR x : 0..3; y : 0..3;
TRANS next(x) in {x, x + 1}
INVARSPEC next(x) = x | next(x) = x + 1
"""

    assert [] == list(compare(text, mutate=True))


def test_a_difference_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "MODULE main\nVAR b : boolean;\nASSIGN init(b) := TRUE; next(b) := !b;\nINVARSPEC b;\n"
    assert [] == list(compare(text, mutate=True))

    monkeypatch.setattr("support.nusmv_difference.verdicts", lambda _: [True])

    assert ["verdict: b is False, not True"] == list(compare(text, mutate=False))


CELLS = """
MODULE sub(p)
VAR y : 0..2;
DEFINE g := p; z := g[y mod 2];
INVARSPEC y in {red, p[0], z}
MODULE main
VAR x : 0..2; b : boolean; m : {red, 1, 2}; a : array 0..1 of 1..2; s : sub(e); t : sub(a);
DEFINE
  e := [x, 2 - x]; f := [[x, 1], [2, x]]; h := e; k := a; n := f; q := [m, red];
  z := k[x mod 2]; row := f[x mod 2];
ASSIGN init(x) := 0; next(x) := e[1];
INVARSPEC e[0] in {red, 0, 1, 2, e[1]}
INVARSPEC m in {red, h[1]}
INVARSPEC m in {red, z}
INVARSPEC z in {red, 1, 2}
INVARSPEC n[0][x mod 2] in {red, 1, 0, 2}
INVARSPEC m in {red, row[1]}
INVARSPEC (b ? m : k[x mod 2]) in {red, 1, 2}
INVARSPEC x in {q[0], 0, q[1]}
INVARSPEC next(z) in {red, 1, 2}
"""


def test_cells_of_named_arrays_meet_symbols() -> None:
    # Each verdict is that of NuSMV 2.5.4.
    holds = [True, False, False, True, True, False, True, False, True, False, False]
    model = tree_nusmv.read(CELLS)
    assert holds == verdicts(model)
    assert [] == list(compare(CELLS, mutate=True))


def test_quotients_of_any_sign_meet_symbols() -> None:
    # Each verdict is that of NuSMV 2.6.0.
    text = """
MODULE main
VAR x : -3..2; y : -1..2; m : {red, 0, 1};
DEFINE half := x / (1 - 3); some := y = 0 ? 0 : x / y;
ASSIGN next(m) := half in {red, 1, m} ? red : m;
INVARSPEC m in {red, half}
INVARSPEC half in {red, -1, 0, 1}
INVARSPEC some in {red, -3, -2, -1, 0, 1, 2, 3}
INVARSPEC some in {red, -2, -1, 0, 1, 2, 3}
"""
    assert [False, True, True, False] == verdicts(tree_nusmv.read(text))
    assert [] == list(compare(text, mutate=True))
