"""Deep proofs that rest on little are tried on mutants as they are."""

from __future__ import annotations

from mutproof.analyses.benches import Benches
from mutproof.analyses.deciding.evidence import Holds
from mutproof.analyses.means import Means
from mutproof.analyses.mutation.caseload import Baseline
from mutproof.analyses.mutation.docket import Docket
from mutproof.analyses.mutation.flattening import LIGHT, Flattening
from mutproof.analyses.mutation.records import Records
from mutproof.model.interpretation import interpretation
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate
from support.forged import forged
from support.lustre_models import accepted
from support.lustre_mutants import BUDGET, program_of

# A counter modulo 6 that is never 9: 4-inductive, and 1-inductive with an invariant.
TEXT = """
node top(a: bool) returns (p: bool);
var n: int;
let
  n = 0 -> if pre n = 5 then 0 else pre n + 1;
  p = n <> 9;
  --%PROPERTY p;
tel;
"""


def check_tried(size: int, expected: tuple[int, ...]) -> None:
    """Check how deep the certificates are that stand for a proof of depth 4 on so much."""
    meaning = interpretation(program_of(accepted(TEXT)))
    rests_on = frozenset(bytes([number % 256, number // 256]) for number in range(size))
    deep = forged(Holds, Certificate(4, (), ("p",)), rests_on, "k-induction")
    with_spacer = SpacerProcess()
    means = Means(BUDGET, with_spacer, Benches(), lambda: None)
    baseline = Baseline(meaning, meaning.system(), {"p": deep}, {"p": frozenset()})
    docket = Docket(baseline, (), Records(), means, lambda _: None)
    docket.take_in()
    try:
        tried, together = Flattening(docket).certificates({"p": deep})
        assert expected == tuple(certificate.k for certificate in tried)
        assert not together
        assert not Flattening(docket).in_place_of(tried)
    finally:
        with_spacer.close()


def test_what_is_deep_and_small_is_tried_as_it_is() -> None:
    check_tried(LIGHT // 4, (4,))


def test_what_is_deep_and_large_is_tried_by_an_invariant() -> None:
    check_tried(LIGHT // 4 + 1, (1,))
