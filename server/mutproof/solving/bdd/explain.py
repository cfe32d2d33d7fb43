"""Paths that show why a branching-time formula holds or fails in a state.

`AG p` fails on a path to a state without p, `AF p` on a lasso without p; within those, the
explanation goes on with p. A universal formula that holds, or an existential one that fails,
has no such path.
"""

from __future__ import annotations

from mutproof.base.record import dataclass
from mutproof.model.operators import Op
from mutproof.model.terms import Term
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.ctl import Branching
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.trace import SingleState


@dataclass(slots=True)
class Explanation:
    """Hold a path and what is still to be shown in its last state; mutated while it grows.

    `complete`: no other path is needed too. `exact`: every fair path that begins with this one
    shows all that is claimed, also of the states on the way.
    """

    states: list[SingleState]
    loop: int | None = None
    complete: bool = True
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _Claim:
    """State that a term holds, or does not, in the last state of the path."""

    term: Term
    holds: bool


def explain(branching: Branching, start: Diagram, term: Term, *, holds: bool) -> Explanation:
    """Return a path that shows why a term holds, or does not, in the states of `start`.

    It begins in one of these states; in each of them the term must have the truth value `holds`.

    Raises:
        OutOfTime: the deadline has passed.
    """
    found = Explanation([trace.pick(branching.machine, start)])
    claim: _Claim | None = _Claim(term, holds)
    while claim is not None:
        claim = _step(branching, found, claim)
    found.exact = found.exact and found.complete
    return found


def prolonged(branching: Branching, found: Explanation) -> tuple[list[SingleState], int]:
    """Return the path of an explanation, followed by a fair lasso, and where it loops.

    Raises:
        OutOfTime: the deadline has passed.
    """
    if found.loop is not None:
        return found.states, found.loop
    here = _here(branching, found) & branching.fair
    rest, loop = branching.some_lasso(here, found.states[-1])
    return found.states[:-1] + rest, len(found.states) - 1 + loop


def _step(branching: Branching, found: Explanation, claim: _Claim) -> _Claim | None:
    """Explain the outermost operator; return the claim left to explain, None if there is none."""
    term, holds = claim.term, claim.holds
    if not branching.is_temporal(term):
        return None
    everything = branching.reachable
    args = term.args
    match term.op, holds:
        case Op.NOT, _:
            return _Claim(args[0], not holds)
        case (Op.AND, True) | (Op.OR, False):
            return _both(branching, found, [_Claim(arg, holds) for arg in args])
        case (Op.AND, False) | (Op.OR, True):
            return _either(branching, found, [_Claim(arg, holds) for arg in args])
        case Op.IMPLIES, True:
            return _either(branching, found, [_Claim(args[0], False), _Claim(args[1], True)])
        case Op.IMPLIES, False:
            return _both(branching, found, [_Claim(args[0], True), _Claim(args[1], False)])
        case (Op.EX, True) | (Op.AX, False):
            wanted = _set(branching, _Claim(args[0], holds)) & branching.fair
            return _next(branching, found, wanted, _Claim(args[0], holds))
        case (Op.EF, True) | (Op.AG, False):
            return _reach(branching, found, everything, _Claim(args[0], holds))
        case (Op.EG, True) | (Op.AF, False):
            return _stay(branching, found, _Claim(args[0], holds))
        case Op.EU, True:
            through = branching.satisfying(args[0])
            found.exact = found.exact and not branching.is_temporal(args[0])
            return _reach(branching, found, through, _Claim(args[1], True))
        case Op.AU, False:
            without = _set(branching, _Claim(args[1], False))
            found.exact = found.exact and not branching.is_temporal(args[1])
            broken = without & _set(branching, _Claim(args[0], False)) & branching.fair
            if _extend(branching, found, without, broken):
                return _both(branching, found, [_Claim(args[0], False), _Claim(args[1], False)])
            return _stay(branching, found, _Claim(args[1], False))
        case _:
            found.complete = False
            return None


def _set(branching: Branching, claim: _Claim) -> Diagram:
    return branching.claimed(claim.term, holds=claim.holds)


def _here(branching: Branching, found: Explanation) -> Diagram:
    """Return the last state of the path, with any inputs."""
    return branching.machine.with_any_input(found.states[-1].alone) & branching.reachable


def _both(branching: Branching, found: Explanation, claims: list[_Claim]) -> _Claim | None:
    """Return one of several claims that must all be shown; note if others are left unexplained."""
    open_claims = [claim for claim in claims if branching.is_temporal(claim.term)]
    if len(open_claims) > 1:
        found.complete = False
    return open_claims[0] if open_claims else None


def _either(branching: Branching, found: Explanation, claims: list[_Claim]) -> _Claim | None:
    """Return a claim that is true, preferably one that needs no path."""
    false = branching.machine.manager.false
    here = _here(branching, found)
    true = [claim for claim in claims if here & _set(branching, claim) != false]
    simple = [claim for claim in true if not branching.is_temporal(claim.term)]
    return (simple or true)[0]


def _next(
    branching: Branching, found: Explanation, wanted: Diagram, claim: _Claim
) -> _Claim | None:
    machine = branching.machine
    last = trace.pick(machine, _here(branching, found) & machine.before(wanted), found.states[-1])
    after = trace.pick(machine, machine.after_one(last.bits) & wanted, last)
    found.states[-1:] = [last, after]
    return claim


def _extend(branching: Branching, found: Explanation, through: Diagram, target: Diagram) -> bool:
    """Extend the path to `target`; return whether that is possible."""
    here = _here(branching, found)
    states = branching.distances(through, target).path(here, found.states[-1])
    if states is None:
        return False
    found.states[-1:] = states
    return True


def _reach(
    branching: Branching, found: Explanation, through: Diagram, claim: _Claim
) -> _Claim | None:
    target = _set(branching, claim) & branching.fair
    if not _extend(branching, found, through, target):
        message = "a reachable state cannot be reached"
        raise AssertionError(message)
    return claim


def _stay(branching: Branching, found: Explanation, claim: _Claim) -> _Claim | None:
    """End the path with a fair lasso of states with the claim; do not explain it in each state."""
    found.exact = found.exact and not branching.is_temporal(claim.term)
    here = _here(branching, found)
    rest, loop = branching.lasting_lasso(claim.term, here, found.states[-1], holds=claim.holds)
    found.loop = len(found.states) - 1 + loop
    found.states[-1:] = rest
    return None
