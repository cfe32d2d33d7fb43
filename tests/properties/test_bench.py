"""A bench asks each question as if it were the first one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mutproof.analyses.bench.bench import Bench, Confirm, Found
from mutproof.analyses.bench.executions import Executions
from mutproof.analyses.bench.group import Side
from mutproof.analyses.bench.paths import Paths
from mutproof.analyses.bench.patience import Patience
from mutproof.analyses.bench.questions import Questions
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.base.budget import Budget
from mutproof.model import sorts, terms
from mutproof.model.interpretation import interpretation
from mutproof.model.slice import Slicer
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import certify
from mutproof.solving.solver import Answer
from mutproof.solving.verdict import Certificate
from support.forged import forged
from support.lustre_models import accepted
from support.lustre_mutants import BUDGET, program_of

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


def checked_bench(system: TransitionSystem, budget: Budget = BUDGET) -> Bench:
    """Return a bench whose proofs others check, and which confirms no execution."""

    def none(*_: object) -> None:
        return None

    return Bench(system, budget, none, Checker(Bench(system, budget, none)))


def failing(step: int) -> Confirm:
    """Return what believes of every execution that it violates p at a step."""

    def confirm(_: Variant, choices: Choices, how: str) -> dict[str, Fails]:
        return {"p": forged(Fails, choices, step, how)}

    return confirm


def test_a_shallow_certificate_assumes_nothing_that_a_deep_one_did() -> None:
    system = interpretation(program_of(accepted(TEXT))).system()
    bench = checked_bench(system)
    deep, shallow = (Claim(Variant(name, frozenset()), {"p"}) for name in ("deep", "shallow"))

    bench.certify([deep], [Certificate(2, (), ("p",))])
    bench.certify([shallow], [Certificate(1, (), ("p",))])

    assert {"p"} == set(deep.holds)
    assert {"p"} == shallow.open


def test_with_little_effort_hard_questions_stay_open_and_are_not_answered() -> None:
    system = interpretation(program_of(accepted(TEXT))).system()
    case = Claim(Variant("whole", frozenset()), {"p"})

    checked_bench(system, Budget(1, 60)).certify([case], [Certificate(2, (), ("p",))])
    assert {"p"} == case.open

    checked_bench(system).certify([case], [Certificate(2, (), ("p",))])
    assert {"p"} == set(case.holds)


def test_a_kept_bench_asks_nothing_once_its_run_is_cancelled_and_then_goes_on() -> None:
    system, benches = interpretation(program_of(accepted(TEXT))).system(), Benches()
    case = Claim(Variant("whole", frozenset()), {"p"})
    certificates, left = [Certificate(2, (), ("p",))], [2]

    def none(*_: object) -> None:
        return None

    def heed() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise InterruptedError

    benches.get(system, BUDGET, none)
    bench = benches.get(system, BUDGET, none, heed)
    with pytest.raises(InterruptedError):
        bench.certify([case], certificates)
    assert {"p"} == case.open

    assert benches.get(system, BUDGET, none) is bench
    bench.certify([case], certificates)
    assert {"p"} == set(case.holds)


# Beside p there is q, which 2-induction is tried with too, and which fails.
BESIDE = TEXT.replace("p: bool)", "p, q: bool)").replace(
    "--%PROPERTY p;", "q = n <> 2;\n  --%PROPERTY p;\n  --%PROPERTY q;"
)


def test_what_holds_together_at_a_depth_is_noted_with_that_depth() -> None:
    system = interpretation(program_of(accepted(BESIDE))).system()
    bench = checked_bench(system)
    case = Claim(Variant("whole", frozenset()), {"p", "q"})

    together = [Certificate(1, (), ("p",)), Certificate(2, (), ("q",))]
    bench.certify([case], together, partly=False)

    assert {"p"} == set(case.holds)
    assert {"q"} == case.open
    certificate = case.holds["p"].certificate
    assert 2 == certificate.k
    assert certify.certify(system, certificate, BUDGET).ok
    assert not certify.certify(system, Certificate(1, (), ("p",)), BUDGET).ok


def test_the_first_states_count_where_all_open_properties_were_asked_about() -> None:
    system = interpretation(program_of(accepted(BESIDE))).system()
    bench = checked_bench(system)
    only, beside = (Claim(Variant(name, frozenset()), {"q"}) for name in ("only", "beside"))
    beside.open = {"p", "q"}

    for case in (only, beside):
        bench.certify([case], [Certificate(1, (), ("q",))])

    assert (1, 0) == (only.depth, beside.depth)


# Mutants of the step; those in the tests below reach 6 in the second or third state.
def _stepping(name: str, step: str, first: str = "0") -> Variant:
    text = TEXT.replace("else pre n + 1", f"else {step}").replace("n = 0 ->", f"n = {first} ->")
    changed = interpretation(program_of(accepted(text))).system()
    original = interpretation(program_of(accepted(TEXT))).system()
    (owner,) = {c.owner for c in changed.constraints} - {
        c.owner for c in changed.constraints if c in original.constraints
    }
    assert owner is not None
    own = tuple(c for c in changed.constraints if c.owner == owner)
    return Variant(name, frozenset({owner}), own)


def test_a_search_refutes_each_variant_that_fails_and_no_other() -> None:
    system = interpretation(program_of(accepted(TEXT))).system()
    bench = Bench(system, BUDGET, failing(2))
    steps = {"jumps": "pre n + 6", "doubles": "pre n + 2 + pre n"}
    cases = [Claim(_stepping(name, step), {"p"}) for name, step in steps.items()]
    cases.append(Claim(Variant("whole", cases[0].variant.removed, _kept(system, cases[0])), {"p"}))
    told: list[str] = []

    for depth in (1, 2, 4):
        bench.search(cases, depth, lambda case: told.append(case.variant.name))

    assert {"jumps", "doubles"} == {case.variant.name for case in cases if case.fails}
    assert {"jumps", "doubles"} == set(told)
    (left,) = (case for case in cases if case.open)
    assert 4 == left.depth


def test_what_is_refuted_on_the_way_is_not_asked_about() -> None:
    system = interpretation(program_of(accepted(TEXT))).system()
    bench = Bench(system, BUDGET, failing(2))
    cases = [Claim(_stepping(step, f"pre n + {step}"), {"p"}) for step in ("6", "5 + 1")]

    def also(case: Claim) -> None:
        for other in cases:
            other.refute({"p": forged(Fails, case.fails["p"].choices, 2, "replay")})

    bench.search(cases, 4, also)

    assert ["bmc", "replay"] == sorted(case.fails["p"].how for case in cases)


def _kept(system: TransitionSystem, case: Claim) -> tuple[Constraint, ...]:
    return tuple(c for o in case.variant.removed for c in system.by_owner[o])


def test_a_broken_first_state_refutes_where_it_is_asked_for() -> None:
    system = interpretation(program_of(accepted(TEXT))).system()
    proof = Certificate(1, (), ("p",))

    def tried(found: Found | None) -> Claim:
        bench = Bench(system, BUDGET, failing(0))
        case = Claim(_stepping("six", "pre n + 1", first="6"), {"p"})
        Checker(bench).establish([case], [(proof, [case])], found=found)
        return case

    told: list[Claim] = []

    assert {"p"} == tried(None).open
    assert [tried(told.append)] == told
    assert ["certificate"] == [failure.how for case in told for failure in case.fails.values()]


def test_what_is_left_of_certificates_is_tried_as_long_as_that_is_of_use() -> None:
    system = interpretation(program_of(accepted(BESIDE))).system()
    bench = checked_bench(system)
    patience = Patience(3)
    # q fails: of a certificate of both only the half that proves p is left.
    both = Certificate(2, (), ("p", "q"))
    useful = [Claim(Variant(f"useful {n}", frozenset()), {"p", "q"}) for n in range(5)]
    bench.certify(useful, [both], patience=patience)
    assert all({"q"} == case.open for case in useful)

    patience.left = 3
    useless = [Claim(Variant(f"useless {n}", frozenset()), {"q"}) for n in range(5)]
    bench.certify(useless, [Certificate(2, (), ("q",))], patience=patience)
    assert all(case.open for case in useless)
    assert 0 == patience.left
    late = Claim(Variant("late", frozenset()), {"p", "q"})
    bench.certify([late], [both], patience=patience)
    assert {"p", "q"} == late.open


def test_a_path_of_a_part_is_tried_on_what_that_part_decides_only() -> None:
    text = (
        "node top(a: bool) returns (p, q: bool);\nvar x, y: int;\nlet\n"
        "  x = 0 -> if a then 1 else pre x;\n  y = 0 -> if a then 1 else pre y;\n"
        "  p = x < 2;\n  q = y < 2;\n  --%PROPERTY p;\n  --%PROPERTY q;\ntel;\n"
    )
    system = interpretation(program_of(accepted(text))).system()
    executions = Executions(system)
    paths = Paths(executions)
    stated = {name: system.property(name).term for name in "pq"}
    parts = {name: Slicer(system).variables([term]) for name, term in stated.items()}

    def then_7(name: str) -> Claim:
        (owner,) = (c.owner for c in system.constraints if c.defines == name)
        assert owner is not None
        left = system.by_owner[owner][0]
        value = terms.ite(terms.var("%first", sorts.BOOL), terms.int_(0), terms.int_(7))
        term = terms.eq(terms.var(name, sorts.INT), value)
        own = (replace(left, term=term),)
        return Claim(Variant(name, frozenset({owner}), own), {"p", "q"})

    held = dict.fromkeys(parts["p"], 0) | {"%first": True}
    paths.learn(Choices(({"a": True},) * 2, held), parts["p"])
    assert [] == paths.unbroken(then_7("x"), [[stated["p"]]], 1, parts["p"])
    assert [0] == paths.unbroken(then_7("y"), [[stated["q"]]], 1, parts["q"])
    assert [0] == paths.unbroken(then_7("y"), [[stated["p"]]], 1, parts["p"])


def test_a_model_is_asked_once_about_what_several_certificates_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = interpretation(program_of(accepted(BESIDE))).system()
    asked: list[tuple[Term, int]] = []
    ask, is_false = Questions.ask, Questions.is_false

    def begun(self: Questions, *others: Any, **more: Any) -> Answer:
        asked.clear()
        return ask(self, *others, **more)

    def noted(self: Questions, side: Side, statement: Term, frame: int) -> bool:
        assert (statement, frame) not in asked
        asked.append((statement, frame))
        return is_false(self, side, statement, frame)

    monkeypatch.setattr(Questions, "ask", begun)
    monkeypatch.setattr(Questions, "is_false", noted)
    least = terms.not_(terms.eq(terms.var("n", sorts.INT), terms.int_(9)))
    both = [Certificate(1, (least,), (goal,)) for goal in "pq"]
    case = Claim(_stepping("6", "pre n + 6"), {"p", "q"})
    checked_bench(system).certify([case], both, partly=False)
    assert asked
    assert {"p", "q"} == case.open


@pytest.mark.parametrize(
    ("proved", "value", "calls"),
    [("", "pre n + 1", 4), ("p", "pre n + 1", 2), ("p", "pre n + 2", 4)],
)
def test_what_was_proved_on_a_case_is_asked_with_the_rest(
    monkeypatch: pytest.MonkeyPatch, proved: str, value: str, calls: int
) -> None:
    text = (
        "node top(a: bool) returns (p, q: bool);\nvar n: int;\nlet\n"
        "  n = 0 -> if pre n > 3 then 0 else pre n + 1;\n"
        "  p = n <= 4;\n  q = n >= 0;\n  --%PROPERTY p;\n  --%PROPERTY q;\ntel;\n"
    )
    changed = text.replace("pre n + 1", value)
    systems = [interpretation(program_of(accepted(one))).system() for one in (text, changed)]
    (stated,) = (c for c in systems[1].constraints if c.defines == "n")
    assert stated.owner is not None
    whole = Claim(Variant("whole", frozenset()), {"p", "q"})
    other = Claim(Variant("other", frozenset({stated.owner}), (stated,)), {"q"})
    for name in proved:
        other.holds[name] = forged(Holds, UNCERTIFIED, frozenset(), "told")
    both = [Certificate(1, (), (goal,)) for goal in "pq"]
    asked = list[int]()
    ask = Questions.ask

    def counted(self: Questions, *others: Any, **more: Any) -> Answer:
        asked.append(1)
        return ask(self, *others, **more)

    monkeypatch.setattr(Questions, "ask", counted)
    checked_bench(systems[0]).certify([whole, other], both, partly=False)
    assert {"p", "q"} == whole.holds.keys()
    assert {"q", *proved} == other.holds.keys()
    assert calls == len(asked)  # of the first states and of the step, and anew what a model broke
