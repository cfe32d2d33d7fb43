"""What analyses find out, as values without positions: elements and mutants by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import Enum

from mutproof.analyses.claims.defect import Defect
from mutproof.analyses.claims.equivalence import Equivalence
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.terms import Path
from mutproof.model.trace import Trace


class PropertyVerdict(Enum):
    """Say what is known of a property; UNKNOWN alone is inconclusive.

    COMPUTED is for a question that has a number for an answer (NuSMV's COMPUTE).
    """

    PROVED = "proved"
    FALSIFIED = "falsified"
    UNKNOWN = "unknown"
    COMPUTED = "computed"


class ModelFault(Enum):
    """Say what is wrong with a model as a whole."""

    REFUSED = "refused"  # a check that is made when the model is built fails
    DOUBTFUL = "doubtful"  # such a check could not be decided
    NO_INITIAL_STATE = "no-initial-state"
    DEAD_END = "dead-end"  # a reachable state without successor
    NO_DEAD_END = "no-dead-end"  # proved that there is none
    PERHAPS_DEAD_END = "perhaps-dead-end"  # none found, none excluded
    AMBIGUOUS_LOOP = "ambiguous-loop"  # an instantaneous loop with several solutions
    UNSOLVABLE_LOOP = "unsolvable-loop"  # an instantaneous loop without solution for some inputs
    OUT_OF_BOUNDS = "out-of-bounds"  # an index that leaves its array
    PERHAPS_OUT_OF_BOUNDS = "perhaps-out-of-bounds"  # an index that may leave its array
    ZERO_DIVISOR = "zero-divisor"  # a division by zero, whose result is arbitrary
    PERHAPS_ZERO_DIVISOR = "perhaps-zero-divisor"  # a divisor that may be zero
    ARBITRARY_FIRST_VALUE = "arbitrary-first-value"  # a property depends on an unguarded `pre`
    NOTHING_TO_MUTATE = "nothing-to-mutate"  # without mutants a score has no meaning


@dataclass(frozen=True, slots=True)
class ModelFinding:
    """Hold something that is wrong with a model, whatever its properties.

    `obligation` is the 0-based position of the check among those of the front end, None for what
    has no place of its own. `place` is a subterm of an element, None for the whole model. `trace`
    ends in the state that shows it. `survivors` is the number of survivors it is about, with which
    the message begins; 0 if it is about the model itself.
    """

    fault: ModelFault
    message: str
    obligation: int | None = None
    trace: Trace | None = None
    place: tuple[ElementId, Path] | None = None
    survivors: int = 0

    @property
    def empties(self) -> bool:
        """Tell whether no property could fail because of it."""
        is_whole = self.fault in {ModelFault.NO_INITIAL_STATE, ModelFault.DEAD_END}
        return is_whole and self.trace is None


class MutantStatus(Enum):
    """Say what is known of a mutant (DESIGN, section 1)."""

    KILLED = "killed"
    SURVIVED = "survived"
    UNKNOWN = "unknown"
    STILLBORN = "stillborn"
    IGNORED = "ignored"


class Origin(Enum):
    """Say where a verdict of this run comes from."""

    KEPT = "kept"  # nothing it rests on has changed; no solver, no replay
    REPLAYED = "replayed"  # known before: its trace still violates the property
    REPROVED = "reproved"  # known before: its certificate was checked again on the new model
    DECIDED = "decided"  # found in this run


@dataclass(frozen=True, slots=True)
class CoresFinding:
    """Hold the minimal cores found of a property: smallest first, each in source order.

    `complete`: these are all there are, so `must` (in every core) and `may` (in some core
    only) are exact. Otherwise `must` holds the elements whose removal is known to break the
    proof, `may` the other elements of the cores found, and `reason` says what is open.
    `minimal`: each core is known to be minimal. `smallest`: no core is smaller than the first.
    """

    cores: tuple[tuple[ElementId, ...], ...]
    must: tuple[ElementId, ...]
    may: tuple[ElementId, ...]
    complete: bool
    minimal: bool
    smallest: bool
    reason: str = ""


SEARCHED_ON = "the search goes on"
"""The reason given with cores that are reported before the search for them has ended."""

ENOUGH = "as many cores as asked for"
"""The reason given where further cores may exist that nobody asked for."""


EFFORT_ENDED = "the effort for cores is used up"
"""The reason given where it is open whether a core is minimal, as `prove` spends little on it."""


def no_cores(reason: str) -> CoresFinding:
    """Return a finding without cores that says why none is known."""
    return CoresFinding((), (), (), complete=False, minimal=False, smallest=False, reason=reason)


LEFT = "another worker goes on with it"
"""Why a worker leaves a property open that the first one decides."""

IDLE = "its premise never holds"
"""The vacuity of an implication whose premise never holds; a mutant may violate it all the same."""


@dataclass(frozen=True, slots=True)
class PropertyFinding:
    """Hold what is known of one property of the main component or of a called one.

    `name` is unique in the report: the property's own name, prefixed by the instance path for
    properties of called nodes. `component` and `declared` find its place in the provenance
    (`component.declared`). `k` is the induction depth of a proof or the number of steps of a
    counterexample; `core` a minimal inductive validity core, `must` the elements in every
    core; both None until known. `depth` is the number of steps without a violation, for
    UNKNOWN. `trace` shows a failure or, for a property that asks for a path, that path.
    `vacuity` says why a proved property could not have failed; empty if it could. `cores` are
    what was found where more than one core was asked for.
    """

    name: str
    component: str
    declared: str
    verdict: PropertyVerdict
    k: int | None = None
    engine: str = ""
    seconds: float = 0.0
    reason: str = ""
    depth: int | None = None
    core: tuple[ElementId, ...] | None = None
    must: tuple[ElementId, ...] | None = None
    trace: Trace | None = None
    vacuity: str = ""
    cores: CoresFinding | None = None
    defect: Defect | None = None
    origin: Origin = Origin.DECIDED

    @property
    def time(self) -> str:
        """Return the seconds it took for display, or that it is kept from an earlier run."""
        return f"{self.seconds:.2f} s" if self.origin is Origin.DECIDED else "kept"

    @property
    def takes_part(self) -> bool:
        """Tell whether it is proved, not for lack of executions, and so can kill mutants."""
        return self.verdict is PropertyVerdict.PROVED and self.vacuity in {"", IDLE}


def untouched(found: Iterable[PropertyFinding]) -> str:
    """Return in a sentence why no property can kill a mutant; empty if some property can."""
    known = [one for one in found if one.verdict is PropertyVerdict.PROVED]
    if not known:
        return "no property is proved on the unmutated model, so none can kill a mutant"
    if any(one.takes_part for one in known):
        return ""
    return f"what is proved could not fail, so it kills no mutant: {known[0].vacuity}"


def size_of_whole(design: Iterable[ElementId], found: Iterable[PropertyFinding]) -> int:
    """Return of how many elements cores are parts: the design, and what else is in a core."""
    return len({*design, *(element for one in found for element in one.core or ())})


def with_cores_left(known: PropertyFinding, reason: str) -> PropertyFinding:
    """Return the finding with a reason why its cores may not be all, if it has none yet."""
    if known.verdict is not PropertyVerdict.PROVED:
        return known
    if known.cores is None and known.core is None:
        return replace(known, cores=no_cores(reason))
    if known.cores is not None and known.cores.reason == SEARCHED_ON:
        return replace(known, cores=replace(known.cores, reason=reason))
    return known


@dataclass(frozen=True, slots=True)
class MutantFinding:
    """Hold what is known of one mutant.

    `killed_by` lists all proved properties that fail, in the order of the file; `steps` gives
    for each the 0-based step of the shortest violation found. `undecided` lists properties of
    which neither failure nor proof is known. `how` names what decided (for example `core`,
    `certificate`, `replay`, `bmc`, `k-induction`, `pdr`, `simulation`, `exploration`); `depth` is
    the number of steps without a violation for UNKNOWN; `k` the depth of the proof for SURVIVED.
    `trace` is a violating execution for KILLED, `shortest` tells that none of fewer steps is;
    `seconds` were spent on this mutant. `equivalence` tells what a survivor is, None where
    that was not asked or is not known yet. `facts` are invariants of the model that executions of
    the mutant break, as text; None where that was not asked. Mutants of an element with the same
    `function` are the same model; it is empty for what is the model itself, None where that was not
    asked.
    """

    mutant: str
    status: MutantStatus
    killed_by: tuple[str, ...] = ()
    steps: Mapping[str, int] = field(default_factory=dict)
    undecided: tuple[str, ...] = ()
    covered_by: tuple[str, ...] = ()  # proved properties whose cone contains the element
    how: str = ""
    k: int | None = None
    depth: int | None = None
    reason: str = ""
    trace: Trace | None = None
    seconds: float = 0.0
    origin: Origin = Origin.DECIDED
    equivalence: Equivalence | None = None
    defect: Defect | None = None
    shortest: bool = False
    facts: tuple[str, ...] | None = None
    function: str | None = None

    @property
    def is_withdrawn(self) -> bool:
        """Tell whether an execution contradicts what was proved of the mutant."""
        compared = self.equivalence
        return self.defect is not None or (compared is not None and compared.defect is not None)


def with_open_properties(known: MutantFinding, reason: str) -> MutantFinding:
    """Return the finding with a reason why it leaves properties open, if it has none yet."""
    return replace(known, reason=reason) if known.undecided and not known.reason else known


@dataclass(frozen=True, slots=True)
class Statistics:
    """Count what a run did; `seconds` are wall clock of the analysis, parsing excluded.

    `defects` are verdicts that an execution contradicts; they were withdrawn. `refused` are
    proofs and executions that did not pass their check, so that nothing rests on them.
    """

    mutants: int = 0
    killed: int = 0
    survived: int = 0
    unknown: int = 0
    stillborn: int = 0
    ignored: int = 0
    kept: int = 0
    replayed: int = 0
    reproved: int = 0
    decided: int = 0
    solver_calls: int = 0
    properties_proved: int = 0
    properties_falsified: int = 0
    properties_unknown: int = 0
    properties_kept: int = 0
    seconds: float = 0.0
    defects: int = 0
    refused: int = 0


SCRIPT_SUFFIX = ".smt2"


@dataclass(frozen=True, slots=True)
class CertificateFinding:
    """Name the script that certifies a verdict.

    `mutant` is empty for the model itself. `file` is the name of the script, empty where there
    is none and `reason` says why; `text` is the script where it was not handed over before.
    `checks` is the number of answers it must give, all `unsat`; `k` and `how` are of the proof.
    """

    mutant: str
    property: str
    file: str = ""
    text: str = ""
    checks: int = 0
    k: int = 0
    how: str = ""
    reason: str = ""


class Confirmation(Enum):
    """Say what another solver made of a certificate."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNKNOWN = "not confirmed"
    NONE = "no certificate"
