"""A bench asks each question as if it were the first one."""

from __future__ import annotations

from tests.support.lustre_models import accepted
from tests.support.lustre_mutants import BUDGET, program_of

from mutproof.analyses.bench import Bench
from mutproof.analyses.variant import Case, Variant
from mutproof.model.interpretation import interpretation
from mutproof.solving import certify
from mutproof.solving.verdict import Certificate

# A counter modulo 4: that it is never 6 is 2-inductive, and not 1-inductive.
TEXT = """
node top(a: bool) returns (p: bool);
var n: int;
let
  n = 0 -> if pre n = 3 or pre n = 6 then 0 else pre n + 1;
  p = n <> 6;
  --%PROPERTY p;
tel;
"""


def test_a_shallow_certificate_assumes_nothing_that_a_deep_one_did() -> None:
    system = interpretation(program_of(accepted(TEXT))).system()
    bench = Bench(system, BUDGET, lambda *_: None)
    deep, shallow = (Case(Variant(name, frozenset()), {"p"}) for name in ("deep", "shallow"))

    bench.certify([deep], [Certificate(2, (), ("p",))])
    bench.certify([shallow], [Certificate(1, (), ("p",))])

    assert {"p"} == set(deep.holds)
    assert {"p"} == shallow.open


# Beside p there is q, which 2-induction is tried with too, and which fails.
BESIDE = TEXT.replace("p: bool)", "p, q: bool)").replace(
    "--%PROPERTY p;", "q = n <> 2;\n  --%PROPERTY p;\n  --%PROPERTY q;"
)


def test_what_holds_together_at_a_depth_is_noted_with_that_depth() -> None:
    system = interpretation(program_of(accepted(BESIDE))).system()
    bench = Bench(system, BUDGET, lambda *_: None)
    case = Case(Variant("whole", frozenset()), {"p", "q"})

    together = [Certificate(1, (), ("p",)), Certificate(2, (), ("q",))]
    bench.certify([case], together, partly=False)

    assert {"p"} == set(case.holds)
    assert {"q"} == case.open
    certificate = case.holds["p"].certificate
    assert 2 == certificate.k
    assert certify.certify(system, certificate, BUDGET).ok
    assert not certify.certify(system, Certificate(1, (), ("p",)), BUDGET).ok
