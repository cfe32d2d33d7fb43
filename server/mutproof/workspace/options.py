"""What a user can ask for; the same record serves editor, command line and CI."""

from __future__ import annotations

from dataclasses import field

from mutproof.base.budget import Budget
from mutproof.base.digest import Digest, digest_fields
from mutproof.base.record import dataclass

LEVELS = ("default", "paper", "all")
SEARCHES = ("brief", "one", "smallest", "all")
GRANULARITIES = ("element", "instance")
MOST_PAIRS = 200


@dataclass(frozen=True, slots=True)
class EarlierText:
    """Hold what a file said before a change; empty where there was no file.

    `change` is what users call that change, such as "the change since main".
    """

    content: str
    change: str


@dataclass(frozen=True, slots=True)
class Options:
    """Choose what is analysed and how much it may cost.

    `level` is one of LEVELS and chooses the mutation operators; `operators` restricts them to
    the named ones (empty: all of the level). `budget` limits one solver question; `timeout_s`
    bounds the whole analysis of a file in seconds of wall clock (infinity: none). `equivalence`
    says what is compared to tell equivalent survivors from gaps ("outputs", "all variables";
    empty: that is not asked), `survivors` restricts this to some mutants (empty: all). `outputs`
    are the variables to compare, `inputs` those a tester sets (empty: those of the language).

    `core_search` is one of SEARCHES: which minimal cores of each property are sought; `brief`: one
    core, reduced for a share of the proof's effort; `core_limit` is the most to be found of a
    property (0: no limit), `core_seconds` the wall clock for them. `granularity` is one of
    GRANULARITIES: what can be removed on its own, an element of the source or an element of one
    node instance. `certify` asks for the certificate of every proof. `strategy` names the way of
    deciding mutants.

    `since` restricts the mutants to those that the change of the text since then concerns (None:
    all); the following options choose among those. `most_mutants` is how many are decided at most,
    spread over all elements (0: all). `shard` (i, n) restricts the mutants to the i-th of n parts,
    0-based, for n separate runs; the identity of a mutant alone decides its part. `only` restricts
    them to those of these identities (None: all). `share` (i, n) restricts the work to the i-th of
    n shares, 0-based: of the elements with all their mutants, and of the properties whose cores are
    looked for. `mutants` restricts it to these mutants, and to no cores (empty: all of the share).
    `stage` is `all` but for several workers on one file: `mutants` leaves cores for later if other
    workers decide some of the mutants, and so does `soon`, which leaves properties to the first one
    too if no more are proved; `cores` looks for them, and decides no mutants.
    `suggest` asks for properties that kill gaps, those of `elements` of these names (empty: all),
    `suite` for tests that kill mutants, those of an `earlier` suite, as JSON, where they still do.
    `order` 2 asks for pairs of mutants too, at most `most_pairs`, which are chosen once the mutants
    are decided; with `pairs` of identities these are decided in place of the mutants.
    `invariants` asks which mutants break invariants that the engines find, `duplicates` which
    mutants of an element are the same function. `advise` names
    meta-properties of which advice is wanted; where it names some, nothing else is done.
    """

    level: str = "default"
    operators: tuple[str, ...] = ()
    mutate: bool = True
    cores: bool = True
    budget: Budget = field(default_factory=Budget)
    timeout_s: float = field(default=float("inf"), metadata={"counts": False})
    properties: tuple[str, ...] = ()
    equivalence: str = ""
    survivors: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    core_search: str = "one"
    core_limit: int = 0
    core_seconds: float = float("inf")
    granularity: str = "element"
    certify: bool = field(default=False, metadata={"counts": False})
    strategy: str = "default"
    since: EarlierText | None = None
    most_mutants: int = 0
    shard: tuple[int, int] = (0, 1)
    only: tuple[str, ...] | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    share: tuple[int, int] = (0, 1)
    mutants: tuple[str, ...] = ()
    stage: str = field(default="all", metadata={"counts": False})
    suggest: bool = field(default=False, metadata={"counts": False})
    suite: bool = field(default=False, metadata={"counts": False})
    earlier: str = field(default="", metadata={"counts": False})
    elements: tuple[str, ...] = field(default=(), metadata={"counts": False})
    advise: tuple[str, ...] = field(default=(), metadata={"counts": False})
    order: int = field(default=1, metadata={"counts": False})
    most_pairs: int = field(default=MOST_PAIRS, metadata={"counts": False})
    invariants: bool = field(default=False, metadata={"counts": False})
    duplicates: bool = field(default=False, metadata={"counts": False})

    @property
    def digest(self) -> Digest:
        """Return the digest of everything that can change a verdict."""
        return digest_fields(self)
