"""Certificates tried together on many variants: which of them hold on which.

What holds together is asked together. A model tells which statements it breaks on which
variant; only the certificates with those are given up there, and the rest is asked again.

Source: Houdini (Flanagan and Leino, 2001), with certificates as candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from mutproof.analyses.bench.group import Group, Side
from mutproof.analyses.bench.paths import Paths
from mutproof.analyses.bench.questions import Questions
from mutproof.analyses.claims.claim import Claim
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.terms import Term
from mutproof.solving.solver import Answer
from mutproof.solving.verdict import Certificate

SHALLOW = 2
"""Certificates up to this depth are tried together, as one of this depth."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Hold certificates that are tried together on cases, at the same depth k.

    `place` is the 0-based query they are at; `owners` are elements that the queries before
    it rest on.
    """

    certificates: tuple[Certificate, ...]
    cases: tuple[Claim, ...]
    k: int
    place: int = 0
    owners: frozenset[ElementId] = frozenset()

    def statements(self, questions: Questions) -> tuple[Term, ...]:
        """Return the lemmas and goals of all certificates, each once."""
        found = (s for c in self.certificates for s in questions.statements(c))
        return tuple(dict.fromkeys(found))


def bundled(asked: Iterable[tuple[Certificate, Claim]]) -> list[Bundle]:
    """Return the bundles in which certificates are tried on cases, the shallow ones first."""
    by_case: dict[str, tuple[Claim, dict[int, dict[Certificate, None]]]] = {}
    for certificate, case in asked:
        levels = by_case.setdefault(case.variant.name, (case, {}))[1]
        level = max(certificate.k, SHALLOW)
        levels.setdefault(level, {})[certificate] = None
    alike: dict[tuple[Certificate, ...], list[Claim]] = {}
    for case, levels in by_case.values():
        for _, certificates in sorted(levels.items()):
            alike.setdefault(tuple(certificates), []).append(case)
    found = [Bundle(c, tuple(cases), max(one.k for one in c)) for c, cases in alike.items()]
    return sorted(_joined(found), key=lambda bundle: bundle.k)


def _joined(bundles: Sequence[Bundle]) -> list[Bundle]:
    """Return bundles, with those that lack some certificates of another in that one.

    It is asked in any case. What a bundle lacks must be proved on its cases: it holds there then,
    mostly together with the rest.
    """
    found: list[Bundle] = []
    for bundle in sorted(bundles, key=lambda bundle: -len(bundle.certificates)):
        place = next((n for n, larger in enumerate(found) if _is_within(bundle, larger)), None)
        if place is None:
            found.append(bundle)
        else:
            larger = found[place]
            found[place] = replace(larger, cases=(*larger.cases, *bundle.cases))
    return found


def _is_within(bundle: Bundle, larger: Bundle) -> bool:
    """Tell whether a larger bundle adds only certificates that are proved on the cases of one."""
    if bundle.k != larger.k or not set(bundle.certificates) <= set(larger.certificates):
        return False
    added = {goal for c in larger.certificates for goal in c.goals}
    added -= {goal for c in bundle.certificates for goal in c.goals}
    return all(added <= case.holds.keys() for case in bundle.cases)


Failed = Callable[[Claim, int], None]
"""Called when the last model is an execution of a case that violates a goal in a frame."""


class Sieve:
    """Find out which certificates of a bundle hold on which of its cases; used once.

    `failed` may close properties of any case: what is closed is not asked about any more.
    """

    def __init__(
        self,
        questions: Questions,
        group: Group,
        bundle: Bundle,
        paths: Paths | None,
        *,
        failed: Failed | None = None,
    ) -> None:
        self._questions = questions
        self._group = group
        self._whole = bundle.statements(questions)
        self._asked = frozenset(goal for c in bundle.certificates for goal in c.goals)
        self._of = {c: questions.statements(c) for c in bundle.certificates}
        self._places = questions.places(bundle.k)
        self._paths = paths
        self._failed = failed
        self._last: dict[Certificate, int] = {}  # where the last model broke it
        self._false: dict[Term, bool] = {}  # what is false in the last model, as far as was asked
        self._waiting: dict[tuple[tuple[Certificate, ...], int], Bundle] = {}
        self._wait([bundle] if paths is None else self._unbroken(bundle))

    def passed(self) -> list[Bundle]:
        """Return the certificates that hold together, with the cases they hold on."""
        found: list[Bundle] = []
        while self._waiting:
            bundle = self._next()
            if bundle.place == len(self._places):
                found.append(bundle)
                continue
            answer = self._ask(bundle)
            if answer is Answer.UNSAT:
                owners = bundle.owners | self._group.owners_in_core(self._side(bundle))
                self._wait([replace(bundle, place=bundle.place + 1, owners=owners)])
            elif answer is Answer.SAT:
                self._wait(self._after_model(bundle))
            elif len(bundle.certificates) > 1:
                self._wait([replace(bundle, certificates=(c,)) for c in bundle.certificates])
        return found

    def _wait(self, bundles: Iterable[Bundle]) -> None:
        """Queue bundles; cases of bundles with the same certificates and place are joined."""
        for bundle in bundles:
            key = (bundle.certificates, bundle.place)
            other = self._waiting.get(key)
            if other is not None:
                cases = (*other.cases, *bundle.cases)
                bundle = replace(bundle, cases=cases, owners=bundle.owners | other.owners)
            self._waiting[key] = bundle

    def _next(self) -> Bundle:
        """Take the bundle with most certificates: what is left of it may be joined with others."""
        key = max(self._waiting, key=lambda key: (len(key[0]), -key[1]))
        return self._waiting.pop(key)

    def _side(self, bundle: Bundle) -> Side:
        return self._places[bundle.place][0]

    def _ask(self, bundle: Bundle) -> Answer:
        """Ask whether some certificate of the bundle breaks on some of its cases."""
        side, frame = self._places[bundle.place]
        statements = bundle.statements(self._questions)
        literals = self._group.any_of(side, [case.variant.name for case in bundle.cases])
        if side is self._questions.step:
            literals += self._questions.hypotheses(side, statements, frame)
        return self._questions.ask(side, literals, self._whole, statements, frame=frame)

    def _after_model(self, bundle: Bundle) -> list[Bundle]:
        """Return the bundles left to ask after a model broke certificates on some cases."""
        side, frame = self._places[bundle.place]
        names = [case.variant.name for case in bundle.cases]
        chosen = set(self._group.true_in_model(side, names))
        self._false.clear()
        left = tuple(c for c in bundle.certificates if not self._is_broken(c, side, frame))
        if not chosen or len(left) == len(bundle.certificates):
            return []  # the model shows no fault: the bundle stays undecided
        broken = tuple(case for case in bundle.cases if case.variant.name in chosen)
        others = tuple(case for case in bundle.cases if case.variant.name not in chosen)
        if self._failed is not None and side is self._questions.base:
            goals, stated = self._questions.goals, bundle.statements(self._questions)
            asked = {name for name in self._asked if goals[name] in stated}
            false = {n for n in asked if self._is_false(side, goals[n], frame)}
            for case in broken:
                if not false.isdisjoint(case.open):
                    self._failed(case, frame)
            broken, others = self._open(broken), self._open(others)
        wanted = {goal for certificate in left for goal in certificate.goals}
        broken = tuple(case for case in broken if not case.open.isdisjoint(wanted))
        found = [replace(bundle, certificates=left, cases=broken)] if broken else []
        rest = replace(bundle, cases=others)
        if not others:
            return found
        if self._paths is not None and side is self._questions.step:
            path = self._questions.path(frame)
            if path is not None:
                self._paths.learn(path, self._group.names)
                return [*found, *self._unbroken(rest, newest=True)]
        return [*found, rest]

    def _is_broken(self, certificate: Certificate, side: Side, frame: int) -> bool:
        """Tell whether the last model breaks a certificate; models in a row break it nearby."""
        statements = self._of[certificate]
        last = self._last.get(certificate, 0)
        for number in (*range(last, len(statements)), *range(last)):
            if self._is_false(side, statements[number], frame):
                self._last[certificate] = number
                return True
        return False

    def _is_false(self, side: Side, statement: Term, frame: int) -> bool:
        """Tell whether a statement, which several certificates may have, is false in the model."""
        found = self._false.get(statement)
        if found is None:
            found = self._false[statement] = self._questions.is_false(side, statement, frame)
        return found

    def _open(self, cases: Iterable[Claim]) -> tuple[Claim, ...]:
        """Return the cases with an open goal among those asked about."""
        return tuple(case for case in cases if not case.open.isdisjoint(self._asked))

    def _unbroken(self, bundle: Bundle, *, newest: bool = False) -> list[Bundle]:
        """Return bundles of the cases with the certificates that no known path breaks on them."""
        assert self._paths is not None
        sets = [self._of[certificate] for certificate in bundle.certificates]
        alike: dict[tuple[int, ...], list[Claim]] = {}
        for case in bundle.cases:
            left = self._paths.unbroken(case, sets, bundle.k, self._group.names, newest=newest)
            alike.setdefault(tuple(left), []).append(case)
        return [
            replace(
                bundle,
                certificates=tuple(bundle.certificates[position] for position in positions),
                cases=tuple(cases),
            )
            for positions, cases in alike.items()
            if positions
        ]
