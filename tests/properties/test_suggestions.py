"""Suggested properties: a run of its own on the changed file proves each, and kills with each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from lustre_models import Model, elaborated, models
from lustre_mutants import BUDGET
from nusmv_random import random_text

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.analyses.suggesting.best import smallest, without_redundant
from mutproof.analyses.suggesting.branches import SaidCase
from mutproof.analyses.suggesting.columns import Rows
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.analyses.suggesting.finding import Suggestion, SuggestionsFinding
from mutproof.analyses.suggesting.naming import names_of
from mutproof.analyses.suggesting.sayable import Reading, Resort, SayableTerms
from mutproof.analyses.suggesting.search import ConjectureSearch, Scored, Seen, noticed
from mutproof.analyses.suggesting.suggest import Suggesting
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model import sorts, terms
from mutproof.model.editing import TextEdit, edited
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.terms import Term
from mutproof.workspace import analysis
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.constant_names import ConstantNames
from mutproof.workspace.events import Event
from mutproof.workspace.insertion import insertion
from mutproof.workspace.options import Options
from mutproof.workspace.suggesting import NOT_ENDED
from support.profiles import profile
from support.reading import accepted_in, analysed, elaborated_in

OPTIONS = Options(level="paper", cores=False, equivalence="outputs", suggest=True, budget=BUDGET)
EQUAL = ("=", "<>")
NUSMV = """\
MODULE cell(go)
VAR n : 0..4;
ASSIGN
  init(n) := 0;
  next(n) := case go & n < 4 : n + 1; !go : 0; TRUE : n; esac;
MODULE main
VAR go : boolean; one : cell(go); two : cell(one.n = 4);
INVARSPEC one.n <= 4
"""


def with_best(found: Elaborated, best: Sequence[Suggestion]) -> Elaborated:
    """Return what a file means that the suggestions were written into."""
    assert found.program is not None
    language, source = LANGUAGES[found.program.language], found.parsed.source
    content = edited(source.content, insertion(language, found, best))
    return language.elaborate(language.parse(SourceText(source.name, content)))


def check(found: Elaborated) -> int:
    """Check the suggestions for a model; return how many there are."""
    suggested = analysed(found, OPTIONS).suggestions
    assert suggested is not None
    chosen = {*suggested.best, *suggested.best_restating}
    best = [one for one in suggested.suggestions if one.name in chosen]
    if not best:
        return 0
    names = tuple(one.name for one in best)
    options = replace(OPTIONS, suggest=False, equivalence="", properties=names)
    after = analysed(with_best(found, best), options)
    verdicts = {one.declared: one.verdict for one in after.properties}
    assert dict.fromkeys(names, PropertyVerdict.PROVED) == verdicts
    killed = {
        (mutant.mutant, name.rpartition(".")[2])
        for mutant in after.mutants
        if mutant.status is MutantStatus.KILLED
        for name in mutant.killed_by
    }
    assert {(mutant, one.name) for one in best for mutant in one.kills} <= killed
    assert {mutant for mutant, _ in suggested.left}.isdisjoint(mutant for mutant, _ in killed)
    return len(best)


@profile(25)
@given(models(finite=True, size=3))
def test_each_is_proved_and_kills_in_the_file_it_is_written_to(model: Model) -> None:
    check(elaborated(model.text))


def test_what_two_steps_ago_was_is_spoken_of_by_the_model_alone() -> None:
    text = """\
node twice(a: bool; n: int) returns (y: bool; m: int);
var ok: bool;
let
  y = a and (false -> pre (false -> pre a));
  m = if n > 3 then (0 -> pre (n + (0 -> pre n))) else 0;
  ok = y => a;
  --%PROPERTY ok;
tel;
"""
    assert 1 <= check(elaborated(text))


def test_two_doors_are_not_said_to_be_alike_where_one_can_be_said_to_be_closed() -> None:
    text = """\
node airlock(enter, leave, stop: bool; pressure: int) returns (inner, outer: bool);
var apart: bool;
let
  inner = not stop and pressure >= 95 and enter and not (false -> pre outer);
  outer = not stop and pressure <= 5 and leave and not inner;
  apart = not (inner and outer);
  --%PROPERTY apart;
tel;
"""
    suggested = analysed(elaborated(text), OPTIONS).suggestions
    assert suggested is not None
    assert not suggested.left
    assert suggested.best
    assert not any({"inner = outer", "inner <> outer"} & {s.claim} for s in suggested.best_set)


def test_numbers_that_have_one_name_in_the_equations_have_it_in_suggestions() -> None:
    text = """\
const top = 5;
node lift(up: bool) returns (level: int);
var ok: bool;
let
  level = 0 -> if up and pre level < top then pre level + 1 else 0;
  ok = level < 100;
  --%PROPERTY ok;
tel;
"""
    suggested = analysed(elaborated(text), OPTIONS).suggestions
    assert suggested is not None
    assert "level <= top" in {one.text for one in suggested.suggestions}


NAMED_LUSTRE = """\
const limit = 5; const other = 5; const least = 2; const rate = 2.5;
node main(go: bool) returns (n, m, k: int; x: real);
let
  n = 0 -> if go and pre n < limit then pre n + least else 2;
  m = if go then limit else other;
  k = 5;
  x = if go then rate else 0.0;
tel;
"""
NAMED_NUSMV = """\
MODULE main
VAR go : boolean; n : 0..9; m : 0..9; x : 0..9;
DEFINE limit := 5; other := 5; least := 2; full := n >= limit;
ASSIGN
  next(n) := full ? least : 2;
  next(m) := go ? limit : other;
  next(x) := go ? least : x;
"""


@pytest.mark.parametrize(("language", "text"), [("lustre", NAMED_LUSTRE), ("nusmv", NAMED_NUSMV)])
def test_numbers_with_several_names_or_none_at_some_place_stay_numbers(
    language: str, text: str
) -> None:
    front = LANGUAGES[language]
    found = accepted_in(language, text)
    main = found.program.component("main")
    n, m, x = (terms.var(name, sorts.widened(main.variable(name).sort)) for name in "nmx")
    two, five = terms.int_(2), terms.int_(5)

    def said(claim: Term, *conditions: Term) -> tuple[str, ...]:
        named = ConstantNames(found).applied(Conjecture("main", conditions, claim))
        return tuple(map(front.print_term, (*named.conditions, named.claim)))

    assert ("n <= limit",) == said(terms.compare(Op.LE, n, five))
    assert ("n = 2", "n = limit - 1") == said(
        terms.eq(n, terms.make(Op.SUB, sorts.INT, (five, terms.int_(1)))), terms.eq(n, two)
    )
    assert ("m = 5",) == said(terms.eq(m, five))
    if language == "lustre":
        (rate,) = (one.body.args[1] for one in main.elements if one.targets == ("x",))
        k = terms.var("k", sorts.INT)
        assert ("k = 5",) == said(terms.eq(k, five))
        assert ("x = rate",) == said(terms.eq(x, rate))
        return
    assert ("x = least",) == said(terms.eq(x, two))
    least = next(one.id for one in main.elements if one.targets == ("least",))
    named = ConstantNames(found, {least}).applied(Conjecture("main", (), terms.eq(x, two)))
    assert terms.eq(x, two) is named.claim
    product = terms.make(Op.MUL, sorts.INT, (x, two))
    assert ("x * 2 > least",) == said(terms.compare(Op.GT, product, two))


def test_properties_of_modules_are_stated_in_the_main_one() -> None:

    assert 1 <= check(elaborated_in("nusmv", NUSMV))


def test_what_may_come_next_and_how_it_begins_is_said_in_temporal_logic() -> None:
    text = """\
MODULE main
VAR button : {none, coin}; drink : {no, coffee, tea};
ASSIGN
  init(button) := none;
  next(button) := {none, coin};
  init(drink) := no;
  next(drink) := button = coin ? {coffee, tea} : no;
CTLSPEC AG (button = none -> AX drink = no)
"""
    found = elaborated_in("nusmv", text)

    suggested = analysed(found, OPTIONS).suggestions

    assert suggested is not None
    said = {one.text: one.logic for one in suggested.suggestions}
    assert "ctl" == said["AG (button = coin -> EX drink = tea)"]
    assert "ltl" == said["button = none & drink = no"]
    assert 2 <= check(found)


def test_what_a_property_speaks_of_can_be_spoken_of_again() -> None:
    text = """\
MODULE main
VAR request : boolean; grant : boolean;
ASSIGN next(grant) := request;
LTLSPEC G (request -> F grant)
"""
    found = elaborated_in("nusmv", text)
    suggested = analysed(found, replace(OPTIONS, level="default")).suggestions
    assert suggested is not None
    assert not suggested.left
    assert any("next(grant)" in one.text for one in suggested.chosen(restating=True))
    assert check(found)


def test_what_takes_long_is_interrupted_for_suggestions_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = elaborated_in("nusmv", NUSMV)
    whole = analysed(found, OPTIONS)
    monkeypatch.setattr(analysis, "PATIENCE_S", 0.0)
    told: list[SuggestionsFinding] = []

    def note(event: Event) -> None:
        if isinstance(event, SuggestionsFinding):
            told.append(event)

    after = analyse(found, OPTIONS, Memory(), note, cancelled=lambda: False)

    early, last = told[0], told[-1]
    assert 0 < early.undecided <= len(whole.mutants)
    assert 0 == last.undecided
    assert whole.suggestions == replace(last, seconds=whole.suggestions.seconds)
    assert [one.status for one in whole.mutants] == [one.status for one in after.mutants]


def test_properties_of_nodes_hold_in_all_their_instances() -> None:
    text = """\
node count(up: bool; top: int) returns (n: int);
let
  n = 0 -> if up and pre n < top then pre n + 1 else pre n;
tel;
node main(a, b: bool) returns (x, y: int; OK: bool);
let
  x = count(a, 3);
  y = count(b, 5);
  OK = x >= 0;
  --%PROPERTY OK;
tel;
"""

    assert 1 <= check(elaborated(text))


WORDS = """\
MODULE main
VAR en : boolean; acc : unsigned word[4];
ASSIGN
  init(acc) := 0ud4_0;
  next(acc) := en ? acc + 0ud4_1 : acc;
INVARSPEC acc <= 0ud4_15
"""
MODES = """\
type mode = enum { OFF, STANDBY, RUN };
node main(power, start, stop: bool) returns (m: mode; motor: bool; OK: bool);
var last: mode;
let
  last = OFF -> pre m;
  m = if not power then OFF
      else if last = STANDBY and start then RUN
      else if last = RUN and stop then STANDBY
      else if last = OFF then STANDBY
      else last;
  motor = (m = RUN);
  OK = not (motor and m = OFF);
  --%PROPERTY OK;
tel;
"""


@pytest.mark.parametrize(("language", "text"), [("nusmv", NUSMV), ("lustre", MODES)])
def test_what_is_told_meanwhile_is_proved_and_kills_no_more_than_what_is_told_last(
    language: str, text: str
) -> None:
    told: list[SuggestionsFinding] = []

    def note(event: Event) -> None:
        if isinstance(event, SuggestionsFinding):
            told.append(event)

    found = elaborated_in(language, text)
    analyse(found, OPTIONS, Memory(), note, cancelled=lambda: False)
    *before, last = told

    gaps = last.closed | {mutant for mutant, _ in last.left}
    assert before
    for one in before:
        assert gaps == one.closed | {mutant for mutant, _ in one.left}
        assert one.closed <= last.closed
        assert {why for _, why in one.left} <= {NOT_ENDED}
        names = tuple(suggestion.name for suggestion in one.suggestions)
        options = replace(OPTIONS, mutate=False, suggest=False, equivalence="", properties=names)
        after = analysed(with_best(found, one.suggestions), options)
        assert all(of.verdict is PropertyVerdict.PROVED for of in after.properties)


def suggested_for(language: str, text: str) -> SuggestionsFinding:
    found = analysed(elaborated_in(language, text), OPTIONS).suggestions
    assert found is not None
    return found


def test_what_an_assignment_does_with_words_is_said_in_its_own_words() -> None:
    found = suggested_for("nusmv", WORDS)

    assert () == found.left
    assert {
        "en -> next(acc) = acc + 0ud4_1",
        "!en -> next(acc) = acc",
        "acc = 0ud4_0",
    } <= {one.text for one in found.suggestions}


def test_two_truths_are_never_said_to_be_equal_where_the_model_does_not() -> None:
    found = suggested_for("lustre", MODES)
    streams = ("power", "start", "stop", "motor")

    assert () == found.left
    for one in found.suggestions:
        for part in (*one.conditions, one.claim):
            assert not any(
                f"{a} {op} {b}" == part for a in streams for b in streams for op in EQUAL
            )


def test_the_first_and_the_other_steps_are_told_apart_by_parentheses() -> None:
    found = suggested_for("lustre", MODES)

    first = [one.text for one in found.suggestions if one.when == "first"]
    later = [one.text for one in found.suggestions if one.when == "later"]
    assert first + later
    assert all(text.endswith(") -> true") or " " not in text for text in first)
    assert all(text.startswith("true -> (") for text in later)


@pytest.mark.parametrize("seed", range(12))
def test_each_is_proved_and_kills_in_random_modules(seed: int) -> None:
    text = random_text(random.Random(seed))
    found = elaborated_in("nusmv", text)
    if found.program is not None:
        check(found)


# --- search -----------------------------------------------------------------------------------

STREAMS = tuple(terms.var(name, sorts.BOOL) for name in "abcd")


def rows_of(source: random.Random, count: int) -> Rows:
    rows = Rows(count)
    rows.holds = {stream: source.getrandbits(count) for stream in STREAMS}
    rows.first = source.getrandbits(count) & 1
    return rows


def subsets(conditions: Sequence[Term]) -> Iterator[tuple[Term, ...]]:
    for size in range(3):
        yield from combinations(conditions, size)


@pytest.mark.parametrize("seed", range(40))
def test_search_finds_what_agrees_with_the_model_and_nothing_else(seed: int) -> None:
    source = random.Random(seed)
    model, mutants = rows_of(source, 6), rows_of(source, 5)
    claim, conditions = STREAMS[0], STREAMS[1:]
    words = SayableTerms("main", conditions, (claim,), frozenset())
    gaps = {"one": 0b00011, "two": 0b11100}

    found = ConjectureSearch(words, Seen(model, mutants), lambda: None).conjectures(gaps, ())

    agreeing = {
        chosen
        for chosen in subsets(conditions)
        for one in [Conjecture("main", chosen, claim)]
        if not noticed(one, model, relational=False)
        and noticed(one, mutants, relational=False)
        and all(model.holds[c] not in {0, model.all} for c in chosen)
        and (len(chosen) < 2 or model.holds[chosen[0]] & model.holds[chosen[1]])
    }
    smallest_ones = {one for one in agreeing if not any(set(less) < set(one) for less in agreeing)}
    always = [one for one in found if one.conjecture.when is When.ALWAYS]
    assert smallest_ones == {
        one.conjecture.conditions for one in always if len(one.conjecture.conditions) < 3
    }
    for one in always:
        seen = noticed(one.conjecture, mutants, relational=False)
        assert {name for name, rows in gaps.items() if rows & seen} == one.kills
        assert not noticed(one.conjecture, model, relational=False)


@pytest.mark.parametrize("seed", range(20))
def test_only_what_may_be_of_the_resort_sought_is_judged(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = random.Random(seed)
    a, b, c, d = STREAMS
    far = terms.make(Op.PRE, sorts.BOOL, (terms.make(Op.PRE, sorts.BOOL, (d,)),))
    claims, conditions = (a, terms.eq(a, b)), (b, c, terms.eq(b, c), far)
    model, mutants = rows_of(source, 6), rows_of(source, 5)
    for rows in (model, mutants):
        rows.holds |= {one: source.getrandbits(rows.count) for one in (*claims, *conditions)}
    words = SayableTerms("main", conditions, claims, frozenset(), familiar=frozenset(STREAMS))
    judged: list[Conjecture] = []
    judge = Reading.judged

    def noted(self: Reading, one: Conjecture) -> tuple[Conjecture, float, Resort]:
        judged.append(one)
        return judge(self, one)

    def found(resort: Resort) -> list[Scored]:
        judged.clear()
        search = ConjectureSearch(words, Seen(model, mutants), lambda: None)
        return search.conjectures({"one": 0b00011, "two": 0b11100}, (), resort=resort)

    monkeypatch.setattr(Reading, "judged", noted)
    lazily = {resort: (found(resort), len(judged)) for resort in Resort}
    assert len(lazily[Resort.FIRST][0]) == lazily[Resort.FIRST][1]
    monkeypatch.setattr(ConjectureSearch, "_may_be", lambda *_: True)
    for resort in Resort:
        everything = found(resort)
        assert lazily[resort][0] == everything
        assert lazily[resort][1] <= len(judged)


def test_a_case_of_an_equation_comes_after_what_the_equation_does_not_say() -> None:
    go, idle, busy, full = STREAMS
    # The equation says: if go then busy. That busy never is so while idle, nobody wrote down.
    case = SaidCase((go,), busy, When.ALWAYS)
    words = SayableTerms(
        "main",
        (go, idle, full),
        (busy, terms.not_(idle)),
        frozenset(),
        branches=(case,),
        familiar=frozenset(STREAMS),
    )
    model, mutants = Rows(2), Rows(1)
    model.holds = {go: 0b01, idle: 0b10, busy: 0b01, full: 0b01, terms.not_(idle): 0b01}
    mutants.holds = {go: 0b1, idle: 0b1, busy: 0b0, full: 0b1, terms.not_(idle): 0b0}

    found = ConjectureSearch(words, Seen(model, mutants), lambda: None).conjectures({"m": 1}, ())

    order = [(one.conjecture.conditions, one.conjecture.claim) for one in found]
    assert order.index(((full,), busy)) < order.index(((go,), busy))
    assert order.index(((go,), terms.not_(idle))) < order.index(((go,), busy))


def test_less_of_a_case_of_an_equation_comes_after_what_the_equation_does_not_say() -> None:
    temperature = terms.var("temperature", sorts.INT)
    warm, exact = (terms.compare(op, temperature, terms.int_(18)) for op in (Op.GE, Op.EQ))
    busy, full = STREAMS[:2]
    case = SaidCase((warm,), busy, When.ALWAYS)
    words = SayableTerms(
        "main",
        (exact, full),
        (busy,),
        frozenset(),
        branches=(case,),
        familiar=frozenset((exact, full)),
    )
    model, mutants = Rows(2), Rows(1)
    model.holds = {warm: 0b01, exact: 0b01, full: 0b01, busy: 0b01}
    mutants.holds = {warm: 0b1, exact: 0b1, full: 0b1}

    found = ConjectureSearch(words, Seen(model, mutants), lambda: None).conjectures({"m": 1}, ())

    order = [one.conjecture.conditions for one in found]
    assert order.index((full,)) < order.index((exact,))


# --- what is said -----------------------------------------------------------------------------


def suggestion(name: str, *kills: str) -> Suggestion:
    return Suggestion("main", name, name, (), name, "always", kills)


def test_a_best_set_kills_all_and_none_of_it_can_go() -> None:
    made = [
        suggestion("p", "1", "2"),
        suggestion("q", "2", "3"),
        suggestion("r", "3", "4"),
        suggestion("s", "2"),
    ]

    assert ["p", "r"] == [one.name for one in smallest(made)]


def test_a_best_set_is_a_smallest_one_where_the_greedy_one_is_not() -> None:
    made = [
        suggestion("wide", "1", "2", "4", "5"),
        suggestion("left", "1", "2", "3"),
        suggestion("right", "4", "5", "6"),
    ]

    assert ["left", "right"] == [one.name for one in smallest(made)]


def test_a_best_set_has_one_more_where_that_is_fewer_words() -> None:
    long = "a and b and c and d and e => f"
    made = [
        replace(suggestion("long", "1", "2"), text=long),
        replace(suggestion("one", "1"), text="a => f"),
        replace(suggestion("other", "2"), text="b => f"),
    ]

    assert ["one", "other"] == [one.name for one in smallest(made)]


def test_a_best_set_restates_the_model_only_if_asked_and_is_odd_only_for_what_is_left() -> None:
    made = [
        suggestion("plain", "1", "2"),
        replace(suggestion("again", "2", "3"), restates=True),
        replace(suggestion("odd", "1", "2", "3"), odd=True),
    ]
    last = replace(suggestion("odder", "1", "4"), odd=True)

    def chosen(*some: Suggestion, restating: bool) -> list[str]:
        return [one.name for one in smallest(some, restating=restating)]

    assert ["plain"] == chosen(*made, restating=False)
    assert ["plain", "again"] == chosen(*made, restating=True)
    assert ["again", "odder"] == chosen(*made, last, restating=True)
    assert ["plain", "odder"] == chosen(made[0], made[1], last, restating=False)


@pytest.mark.parametrize("seed", range(30))
def test_no_fewer_suggestions_kill_what_a_best_set_kills(seed: int) -> None:
    source = random.Random(seed)
    made = [
        suggestion(f"s{number}", *sorted({source.choice("abcdefgh") for _ in range(4)}))
        for number in range(8)
    ]
    everything = {name for one in made for name in one.kills}

    best = smallest(made)

    assert everything == {name for one in best for name in one.kills}
    for fewer in combinations(made, len(best) - 1):
        assert everything != {name for one in fewer for name in one.kills}


def test_what_was_found_earlier_stands_where_more_gaps_and_less_time_close_fewer() -> None:
    earlier = SuggestionsFinding(
        (suggestion("p", "1", "2"),), ("p",), (("3", "none"),), undecided=4
    )
    later = SuggestionsFinding((suggestion("q", "4"),), ("q",), (("1", "late"), ("5", "late")))

    found = later.unless_less(earlier)

    assert earlier.suggestions == found.suggestions
    assert (("3", "none"), ("5", "late"), ("4", "out of time")) == found.left
    assert 0 == found.undecided
    assert earlier == earlier.unless_less(later)
    assert later == later.unless_less(SuggestionsFinding())


def test_what_kills_no_more_than_one_of_the_best_is_not_offered() -> None:
    made = [suggestion("p", "1", "2"), suggestion("q", "2"), suggestion("r", "2", "3")]

    assert ["p", "r"] == [one.name for one in without_redundant(made)]


def test_names_say_what_properties_say() -> None:
    a, b = (terms.var(name, sorts.INT) for name in "ab")
    positive = terms.compare(Op.GT, a, terms.int_(0))
    spelled = LANGUAGES["lustre"].print_term

    def named(conditions: tuple[Term, ...], claim: Term, when: When = When.ALWAYS) -> str:
        return names_of(Conjecture("main", conditions, claim, when), spelled)[0]

    assert "b_is_a_when_a_positive" == named((positive,), terms.eq(b, a))
    assert "b_at_least_a" == named((), terms.compare(Op.GE, b, a))
    idle = terms.not_(terms.var("a_long_name_of_a_signal_that_says_that_it_is_idle", sorts.BOOL))
    assert "b_is_a" == named((positive, idle), terms.eq(b, a))  # "when idle" is the opposite
    short = terms.not_(terms.var("a_name_of_medium_length_here", sorts.BOOL))
    both = (terms.compare(Op.GT, a, terms.int_(1_000_000)), short)
    assert "b_is_a_by_a_a_name_of_medium_length_here" == named(both, terms.eq(b, a))
    assert "b_zero_at_first" == named((), terms.eq(b, terms.int_(0)), When.FIRST)


def test_sentences_are_english_and_fretish() -> None:
    one = Suggestion("lift", "p", "up and x > 0 => y", ("up", "x > 0"), "y", "later", ())

    assert "After the first step, whenever up and x > 0, y." == one.sentence
    assert (
        "after the first step, whenever (up & x > 0) the lift shall immediately satisfy (y)"
        == one.requirement
    )


def test_what_is_so_at_first_is_required_at_first_only() -> None:
    one = Suggestion("lift", "p", "x > 0 => y -> true", ("x > 0",), "y", "first", ())

    assert "In the first step, whenever x > 0, y." == one.sentence
    assert (
        "in the first step, whenever (x > 0) the lift shall immediately satisfy (y)"
        == one.requirement
    )


def test_what_may_come_next_is_said_in_english() -> None:
    one = Suggestion("main", "p", "", ("paid",), "EX drink = tea", "always", (), "ctl")

    assert "Whenever paid, drink = tea may come next." == one.sentence
    one = Suggestion("main", "p", "t", ("n != 0 | !on",), "!next(on) & go", "always", (), "ltl")
    assert "Whenever n != 0 or not on, not next(on) and go." == one.sentence


def test_edits_at_one_place_come_in_their_order() -> None:
    edits = (TextEdit(Span(1, 1), "x"), TextEdit(Span(0, 1), "A"), TextEdit(Span(1, 1), "y"))

    assert "Axyb" == edited("ab", edits)


@pytest.mark.parametrize(
    ("whole", "least", "most"), [(float("inf"), 30, 30), (50, 15, 25), (900, 200, 450)]
)
def test_a_search_takes_longer_where_a_file_may(
    monkeypatch: pytest.MonkeyPatch, whole: float, least: float, most: float
) -> None:
    given_s: list[float] = []
    begin = Suggesting.__init__

    def noted(self: Suggesting, baseline: Baseline, means: Means, seconds: float) -> None:
        given_s.append(seconds)
        begin(self, baseline, means, seconds)

    monkeypatch.setattr(Suggesting, "__init__", noted)
    analysed(accepted_in("nusmv", NUSMV), replace(OPTIONS, timeout_s=whole))

    assert given_s
    assert all(least <= seconds <= most for seconds in given_s), given_s
