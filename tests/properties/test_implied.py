"""Constraints that assignments imply end no execution and forbid none, as diagrams tell."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.analyses.deciding.restricting import Restricting
from mutproof.analyses.mutation.enumerate import mutated_body
from mutproof.base.budget import Budget
from mutproof.model.interpretation import interpretation
from mutproof.model.system import TransitionSystem
from mutproof.solving import continuation, implied
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.dead_end import dead_end
from mutproof.solving.bdd.verdict import BddVerdict
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.options import Options
from support.deadlines import UNHURRIED
from support.nusmv_mutants import accepted, elaborated, mutants_of, mutated_text, program_of
from support.reading import accepted_in, analysed

MET = "\n".join(
    f"INVARSPEC !(x = {x} & y = {y} & z = {z})" for x in range(3) for y in range(3) for z in (0, 2)
)
"""States, asked about one by one."""


def models(count: int) -> Iterator[str]:
    """Yield small random models of assignments, with constraints on single states."""
    for seed in range(count):
        source = random.Random(seed)

        def atom(source: random.Random = source) -> str:
            sign = source.choice(("=", "!=", "<"))
            return f"{source.choice('xyz')} {sign} {source.randint(0, 2)}"

        def value(source: random.Random = source) -> str:
            return source.choice(("0", "1", "x", "y", "z", "{0, 1}"))

        lines = ["MODULE main", "VAR x : 0..2; y : 0..2; z : {0, 2};"]
        for name in "xy":
            if source.random() < 0.8:
                lines.append(f"ASSIGN init({name}) := {source.choice(('0', '1', '{0, 1}'))};")
            if source.random() < 0.9:
                branches = f"{atom()} : {value()}; TRUE : {value()};"
                lines.append(f"ASSIGN next({name}) := case {branches} esac;")
        lines.append(f"{source.choice(('TRANS', 'TRANS', 'INVAR'))} !({atom()} & {atom()})")
        yield "\n".join(lines)


def system_of(text: str) -> TransitionSystem:
    return interpretation(program_of(accepted(text))).system()


def met(system: TransitionSystem) -> dict[str, type[BddVerdict]]:
    found = check(system, [stated.name for stated in system.properties], UNHURRIED)
    return {name: type(verdict) for name, verdict in found.items()}


def test_what_is_implied_ends_no_execution_and_forbids_none() -> None:
    told = {False: 0, True: 0}
    for text in models(30):
        system = system_of(f"{text}\n{MET}")
        said = implied.all_are_implied(system)
        told[said] += 1
        if said:
            assert dead_end(system, UNHURRIED) == (None, ""), text
            assert continuation.goes_on(system), text
        freed = implied.freed(system)
        if freed is not system:
            assert met(system) == met(freed), text
    assert min(told.values()) > 5


def test_of_mutants_it_is_told_whether_their_executions_go_on_or_end() -> None:
    told = Counter[str]()
    means = Means(Budget(), SpacerProcess(), Benches(), lambda: None)
    for text in models(16):
        found = accepted(f"{text}\nINVARSPEC x < 3")
        program = program_of(found)
        meaning = interpretation(program)
        known = implied.implied(meaning.system())
        if known is None:
            continue
        restricting = Restricting(meaning.system(), meaning, means)
        for mutant in mutants_of(found)[::3]:
            changed = elaborated(mutated_text(found, mutant))
            bodies = {e: mutated_body(e, mutant) for e in program.by_id[mutant.element]}
            one = meaning.rewritten(bodies)
            if changed.program is None or one.system is not None:
                continue
            variant = Variant(mutant.id, one.removed, one.constraints)
            claim = Claim(variant, {"x < 3"})
            system = interpretation(changed.program).system()
            end, reason = dead_end(system, UNHURRIED)
            assert not reason
            if mutant.element not in known.owners or restricting.lasts(claim):
                assert end is None, (text, mutant)
                told["lasts" if mutant.element in known.owners else "other"] += 1
            elif restricting.ends(claim):
                assert end is not None, (text, mutant)
                told["ends"] += 1
    assert min(told["lasts"], told["ends"], told["other"]) > 4, told


PIPELINE = """\
MODULE main
VAR a : boolean; b : boolean; c : boolean; n : 0..7;
ASSIGN
  init(a) := FALSE; init(b) := FALSE; init(c) := FALSE; init(n) := 0;
  next(a) := case a | b | c : FALSE; TRUE : {FALSE, TRUE}; esac;
  next(b) := a;
  next(c) := b;
  next(n) := case c & n < 7 : n + 1; TRUE : n; esac;
TRANS !(a & b) & !(a & c) & !(b & c)
SPEC AG n < 6
SPEC AG !(a & b)
"""


def test_finite_executions_refute_where_the_constraints_are_implied() -> None:
    found = analysed(accepted_in("nusmv", PIPELINE), Options(mutate=True))

    verdicts = [stated.verdict for stated in found.properties]
    assert verdicts == [PropertyVerdict.FALSIFIED, PropertyVerdict.PROVED]
    assert MutantStatus.UNKNOWN not in {mutant.status for mutant in found.mutants}


EVENTS = """\
MODULE main
VAR e : boolean; f : boolean; n : 0..2;
IVAR i : boolean;
DEFINE on := i;
ASSIGN init(e) := FALSE; next(e) := n = 0 & i;
  init(f) := FALSE; next(f) := n = 1 & i;
  init(n) := 0; next(n) := case i & n < 2 : n + 1; TRUE : 0; esac;
TRANS !(e & f & on)
SPEC AG !(e & f)
"""


def test_a_constraint_that_some_input_satisfies_ends_no_execution() -> None:
    """Its mutants `!(e & on)` and `!on` forbid inputs, not states."""
    source = accepted(EVENTS)
    found = analysed(source, Options(level="all", cores=False))
    told = {one.mutant: one.status for one in found.mutants}
    ends = {
        mutant.id: dead_end(system_of(mutated_text(source, mutant)), UNHURRIED)
        for mutant in mutants_of(source)
        if told[mutant.id] is not MutantStatus.IGNORED
        and elaborated(mutated_text(source, mutant)).program is not None
    }
    assert any(trace for trace, _ in ends.values())
    for name, (trace, _) in ends.items():
        assert (told[name] is MutantStatus.STILLBORN) is (trace is not None), name


def test_what_declared_bounds_imply_is_shown_again_once_they_change() -> None:
    def told(most: int) -> bool:
        text = f"MODULE main\nVAR n : 0..{most}; a : boolean;\nTRANS !(n > 3 & a)\n"
        system = system_of(text + "ASSIGN next(a) := TRUE;\nINVARSPEC n < 9")
        assert implied.all_are_implied(system) is (dead_end(system, UNHURRIED)[0] is None)
        return implied.all_are_implied(system)

    assert [told(3), told(4), told(3)] == [True, False, True]
