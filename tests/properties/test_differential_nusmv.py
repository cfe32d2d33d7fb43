"""Random NuSMV models on the product and on the evaluator of trees: no difference.

`python tests/differential.py --language nusmv --count 10000` tries more.
"""

from __future__ import annotations

import pytest

from support import tree_nusmv
from support.nusmv_difference import compare, differences, verdicts

CHUNK = 50
MODELS = 500


@pytest.mark.parametrize("first", range(1, MODELS, CHUNK))
def test_random_models_mean_the_same_to_both(first: int) -> None:
    found = [text for seed in range(first, first + CHUNK) for text in differences(seed, every=10)]

    assert [] == found


def test_the_evaluator_of_trees_decides_invariants_by_itself() -> None:
    text = """
    MODULE sub(p)
    VAR x$1 : 0..2; w : signed word[2]; a : array 0..1 of boolean;
    DEFINE d := x$1 > 1;
    ASSIGN
      init(x$1) := {0, 1};
      next(x$1) := case p : (x$1 + 1) mod 3; TRUE : x$1; esac;
      w := 0sd2_1 + 0sd2_1;
      a[0] := TRUE; next(a[1]) := next(a[0]);
    MODULE main
    VAR s : sub(go & TRUE); go : boolean;
    TRANS next(go) = go
    INVAR go
    INVARSPEC s.w < 0sd2_0;
    INVARSPEC s.d -> s.a[1];
    INVARSPEC !s.d;
    INVARSPEC s.a[s.x$1 mod 2] | s.x$1 = 1;
    """

    assert [True, True, False, True] == verdicts(tree_nusmv.read(text))


def test_a_difference_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "MODULE main\nVAR b : boolean;\nASSIGN init(b) := TRUE; next(b) := !b;\nINVARSPEC b;\n"
    assert [] == list(compare(text, mutate=True))

    monkeypatch.setattr("support.nusmv_difference.verdicts", lambda _: [True])

    assert ["verdict: b is falsified"] == list(compare(text, mutate=False))
