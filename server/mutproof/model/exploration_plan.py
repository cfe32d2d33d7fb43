"""What an exploration computes in each step, and what of that a mutant changes.

To find the cone of a mutant, the order of its definitions and what is known of them takes longer
than to explore it. Where it reads what the model reads there, only functions are replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from math import prod
from typing import Any

from mutproof.base.digraph import reached
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import folding, sorts, walk
from mutproof.model.column_conjunctions import LEAST, MOST_STEPS, ColumnConjunction
from mutproof.model.columns import ColumnCompiler, ColumnFunction, TooWide
from mutproof.model.cone_readers import ConeReaders
from mutproof.model.exploration_rules import TABLES, ChangedRules, ExplorationRules, known_terms
from mutproof.model.operators import Op
from mutproof.model.simulate import ordered
from mutproof.model.sorts import Value
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term

MOST_COMBINATIONS = 1024
"""The most combinations of inputs in one state."""


class ExplorationWords:
    """Know what terms of one system read, and compile them; keeps what it found."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.index = {name: position for position, name in enumerate(system.variables)}
        self.compiler = ColumnCompiler(self.index)
        self._reads: dict[Term, tuple[str, ...]] = {}
        self._known: dict[tuple[Term, tuple[tuple[str, Value], ...]], Term] = {}

    def reads(self, term: Term) -> tuple[str, ...]:
        """Return the variables that a term reads, in order."""
        found = self._reads.get(term)
        if found is None:
            found = self._reads[term] = tuple(sorted(walk.variables(term)))
        return found

    def with_known(self, term: Term, known: Mapping[str, Value]) -> Term:
        """Return a term with the values of some variables put in."""
        relevant = tuple((name, known[name]) for name in self.reads(term) if name in known)
        if not relevant:
            return term
        key = (term, relevant)
        if key not in self._known:
            self._known[key] = folding.with_known(term, known)
        return self._known[key]

    def conjunction(self, term: Term) -> ColumnConjunction:
        """Return how a conjunction is computed by its conjuncts."""
        conjuncts = [*walk.conjuncts(term)]
        readers: dict[str, list[int]] = {}
        for place, conjunct in enumerate(conjuncts):
            for name in self.reads(conjunct):
                readers.setdefault(name, []).append(place)
        whole, *parts = self.compiler.compile_all([term, *conjuncts])
        return ColumnConjunction(whole, parts, readers, Memo(MOST_STEPS))

    def closure(self, roots: Iterable[Term], meanings: Callable[[str], Iterable[Term]]) -> set[str]:
        """Return the variables that terms read, directly or through the meanings of others."""

        def reads(among: Iterable[Term]) -> Iterator[str]:
            for term in among:
                yield from self.reads(term)

        return set(reached(reads(roots), lambda name: reads(meanings(name))))


@dataclass(slots=True)
class ExplorationLevel:
    """Hold the functions that compute one step for all rows.

    A row is a state with one of the `combinations` of values of the `chosen` variables. Functions
    take the columns of all variables; `definitions` have the index of the column they give, in the
    `order` of the variables they define. `known` values were put in; `reads` are the variables that
    definitions, assertions, goals and updates then read. `conjunctions` are long definitions.
    """

    known: Mapping[str, Value]
    chosen: dict[str, tuple[Value, ...]]
    combinations: int
    order: list[str]
    definitions: list[tuple[int, ColumnFunction]]
    checks: list[ColumnFunction]
    goals: dict[str, ColumnFunction]
    updates: list[ColumnFunction]
    reads: tuple[list[tuple[str, ...]], ...]
    conjunctions: dict[int, ColumnConjunction]
    _readers: LevelReaders | None = None

    @property
    def readers(self) -> LevelReaders:
        """Return what reads each variable, found when first asked for."""
        if self._readers is None:
            self._readers = LevelReaders.of(self)
        return self._readers

    def values(self, combination: int) -> dict[str, Value]:
        """Return what is chosen in a combination."""
        found: dict[str, Value] = {}
        for name, domain in self.chosen.items():
            combination, position = divmod(combination, len(domain))
            found[name] = domain[position]
        return found


@dataclass(frozen=True, slots=True)
class LevelReaders:
    """Hold where variables are read in a level: the positions of what reads each of them.

    `position` is that of each defined variable; `times` says how many terms read a variable.
    """

    position: dict[str, int]
    definitions: dict[str, list[int]]
    checks: dict[str, list[int]]
    goals: dict[str, list[int]]
    updates: dict[str, list[int]]
    times: Counter[str]

    @classmethod
    def of(cls, level: ExplorationLevel) -> LevelReaders:
        """Return the readers of a level."""
        tables: list[dict[str, list[int]]] = []
        times: Counter[str] = Counter()
        for reads in level.reads:
            table: dict[str, list[int]] = {}
            for at, names in enumerate(reads):
                times.update(names)
                for name in names:
                    table.setdefault(name, []).append(at)
            tables.append(table)
        definitions, checks, goals, updates = tables
        position = {name: at for at, name in enumerate(level.order)}
        return cls(position, definitions, checks, goals, updates, times)


@dataclass(frozen=True, slots=True)
class Replaced:
    """Hold the functions of a level that a mutant has instead, by their positions."""

    definitions: Mapping[int, ColumnFunction] = field(default_factory=dict)
    updates: Mapping[int, ColumnFunction] = field(default_factory=dict)


@dataclass(slots=True)
class ExplorationPlan:
    """Hold what an exploration of some goals computes: first states, and those after states.

    `initial` is what `rules` say of first states, or what a mutant says instead; `unread` are the
    places of memories that nothing reads in that mutant.
    """

    rules: ExplorationRules
    initial: Mapping[str, Term]
    goals: Mapping[str, Term]
    names: AbstractSet[str]
    memories: Sequence[str]
    first: ExplorationLevel
    later: ExplorationLevel
    in_first: Replaced = field(default_factory=Replaced)
    in_later: Replaced = field(default_factory=Replaced)
    unread: frozenset[int] = frozenset()
    readers: ConeReaders | None = None
    _places: dict[str, int] | None = None

    @property
    def places(self) -> dict[str, int]:
        """Return the places of the memories, found when first asked for."""
        if self._places is None:
            self._places = {name: place for place, name in enumerate(self.memories)}
        return self._places


def planned(
    words: ExplorationWords, changed: ChangedRules, goals: Mapping[str, Term]
) -> ExplorationPlan:
    """Return the plan of an exploration.

    Raises:
        TooWide: inputs or memories have too many values.
        CyclicDefinitions: definitions depend on each other.
    """
    names = _cone(words, changed, goals)
    in_order = sorted(names, key=words.index.__getitem__)
    meanings = [(name, changed.meanings(name)) for name in in_order]
    definitions, updates, initial = (
        known_terms((name, found[table]) for name, found in meanings)
        for table in range(len(TABLES))
    )
    rules = ExplorationRules(definitions, updates, initial, changed.checks)
    first, later = _constants(initial), _constants(updates)
    memories = [name for name in updates if name not in later]
    return ExplorationPlan(
        rules,
        initial,
        goals,
        names,
        memories,
        _level(words, rules, goals, memories, known=first, is_first=True),
        _level(words, rules, goals, memories, known=later, is_first=False),
    )


def _cone(words: ExplorationWords, changed: ChangedRules, goals: Mapping[str, Term]) -> set[str]:
    """Return the variables in the cone of influence of the goals and the assertions."""
    roots = [*goals.values(), *(check.term for check in changed.checks)]
    return words.closure(roots, lambda name: [t for t in changed.meanings(name) if t is not None])


def _constants(defined: Mapping[str, Term]) -> dict[str, Value]:
    return {name: _value(term) for name, term in defined.items() if term.op is Op.CONST}


def _value(term: Term) -> Any:
    return term.payload


def _level(
    words: ExplorationWords,
    rules: ExplorationRules,
    goals: Mapping[str, Term],
    memories: Sequence[str],
    *,
    known: Mapping[str, Value],
    is_first: bool,
) -> ExplorationLevel:
    """Return the level of the first step, or else of later steps, which have the memories."""
    defined = {**rules.initial, **rules.definitions} if is_first else rules.definitions
    stored: Sequence[str] = () if is_first else memories

    def put(term: Term) -> Term:
        return words.with_known(term, known)

    checks = [put(check.term) for check in rules.checks]
    wanted = [put(term) for term in goals.values()]
    updates = [put(rules.updates[name]) for name in memories]
    needed = words.closure(
        [*checks, *wanted, *updates],
        lambda name: (put(defined[name]),) if name in defined else (),
    )
    definitions = {name: put(term) for name, term in defined.items() if name in needed}
    chosen: dict[str, tuple[Value, ...]] = {}
    for name in sorted(needed, key=words.index.__getitem__):
        if name not in definitions and name not in stored:
            domain = sorts.domain(words.system.variables[name].sort)
            if domain is None:
                raise TooWide(_too_wide(name))
            chosen[name] = domain
    combinations = prod(len(domain) for domain in chosen.values())
    if combinations > MOST_COMBINATIONS:
        raise TooWide("the inputs have too many values together")
    order = ordered(definitions, words.reads)
    groups = ([definitions[name] for name in order], checks, wanted, updates)
    rest = iter(words.compiler.compile_all([term for group in groups for term in group]))
    return ExplorationLevel(
        known,
        chosen,
        combinations,
        order,
        [(words.index[name], next(rest)) for name in order],
        [next(rest) for _ in checks],
        {name: next(rest) for name in goals},
        list(rest),
        tuple([words.reads(term) for term in group] for group in groups),
        {
            at: words.conjunction(definitions[name])
            for at, name in enumerate(order)
            if definitions[name].op is Op.AND and len(words.reads(definitions[name])) >= LEAST
        },
    )


def adapted(
    words: ExplorationWords, plan: ExplorationPlan, changed: ChangedRules
) -> ExplorationPlan | None:
    """Return a plan of the system for what is changed; None if that has another cone or order.

    Its cone may lack memories.

    Raises:
        TooWide: a variable that nothing defines any more has too many values.
    """
    if changed.checks != plan.rules.checks:
        return None
    definitions, updates, initial = (
        _altered(own, table, plan.names)
        for own, table in zip(changed.own, plan.rules.tables, strict=True)
    )
    if definitions is None or updates is None or initial is None:
        _check_freed(words, plan, changed)
        return None
    if any(
        Op.CONST in {term.op, table[name].op}
        for own, table in ((updates, plan.rules.updates), (initial, plan.rules.initial))
        for name, term in own.items()
    ):
        return None
    altered = (definitions, updates, initial)
    lost = {
        one
        for own, table in zip(altered, plan.rules.tables, strict=True)
        for name, term in own.items()
        for one in {*words.reads(table[name])}.difference(words.reads(term))
    }
    if plan.readers is None:
        asked = (*plan.goals.values(), *(check.term for check in plan.rules.checks))
        plan.readers = ConeReaders(asked, plan.rules.tables, words.reads)
    gone = frozenset[str]()
    if not plan.readers.remain(altered, lost):
        gone = plan.readers.unread(altered, lost)
        if not gone:
            names = _cone(words, changed, plan.goals)
            if not names <= plan.names:
                return None
            gone = frozenset(plan.names - names)
        if not gone <= plan.places.keys():
            return None
    at_first = {
        **{n: t for n, t in initial.items() if n not in plan.rules.definitions},
        **definitions,
    }
    later_updates = {plan.places[name]: term for name, term in updates.items()}
    in_first = _replaced(words, plan.first, at_first, later_updates, stored=frozenset())
    in_later = _replaced(
        words, plan.later, definitions, later_updates, stored=plan.places.keys(), gone=gone
    )
    if in_first is None or in_later is None:
        return None
    return ExplorationPlan(
        plan.rules,
        {**plan.initial, **initial} if initial else plan.initial,
        plan.goals,
        plan.names,
        plan.memories,
        plan.first,
        plan.later,
        in_first,
        in_later,
        frozenset(map(plan.places.__getitem__, gone)),
    )


def _check_freed(words: ExplorationWords, plan: ExplorationPlan, changed: ChangedRules) -> None:
    """Raise TooWide if nothing is changed in a plan but that a variable of any value is free."""
    altered = {name for own in changed.own for name in own if name in plan.names}
    for name in altered if len(altered) == 1 else ():
        is_free = not any(changed.meanings(name))
        is_computed = any(name in level.readers.position for level in (plan.first, plan.later))
        if is_free and is_computed and sorts.domain(words.system.variables[name].sort) is None:
            raise TooWide(_too_wide(name))


def _too_wide(name: str) -> str:
    return f"`{name}` has too many values"


def _altered(
    own: Mapping[str, Term | None], table: Mapping[str, Term], names: AbstractSet[str]
) -> dict[str, Term] | None:
    """Return the other terms that variables of a cone have; None if some appear or disappear."""
    found: dict[str, Term] = {}
    for name, term in own.items():
        known = table.get(name)
        if name not in names or term is known:
            continue
        if term is None or known is None:
            return None
        found[name] = term
    return found


def _replaced(
    words: ExplorationWords,
    level: ExplorationLevel,
    definitions: Mapping[str, Term],
    updates: Mapping[int, Term],
    *,
    stored: AbstractSet[str],
    gone: AbstractSet[str] = frozenset(),
) -> Replaced | None:
    """Return the functions of other terms; None if the level does not compute what they read.

    Nor if nothing reads a variable any more, but for those that are `gone`.
    """
    readers = level.readers
    position, times = readers.position, readers.times
    terms: dict[tuple[bool, int], Term] = {}
    for name, term in definitions.items():
        if name in position:
            terms[True, position[name]] = words.with_known(term, level.known)
    for at, term in updates.items():
        terms[False, at] = words.with_known(term, level.known)
    of_definitions, of_updates = level.reads[0], level.reads[-1]
    dropped: Counter[str] = Counter()
    for (is_definition, at), term in terms.items():
        reads = words.reads(term)
        for name in reads:
            if name not in position and name not in level.chosen and name not in stored:
                return None
            if is_definition and position.get(name, -1) >= at:
                return None
        before = (of_definitions if is_definition else of_updates)[at]
        dropped.update(name for name in before if name not in reads and name not in gone)
    if any(times[name] == count for name, count in dropped.items()):
        return None
    functions = zip(terms, words.compiler.compile_all(terms.values()), strict=True)
    found: tuple[dict[int, ColumnFunction], dict[int, ColumnFunction]] = ({}, {})
    for (is_definition, at), function in functions:
        found[0 if is_definition else 1][at] = function
    return Replaced(*found)
