"""What is kept on disk comes back as it was or not at all; whatever it is, verdicts are right."""

from __future__ import annotations

import errno
import marshal
import os
import random
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.evidence import UNCERTIFIED
from mutproof.analyses.claims.finding import MutantStatus, Origin, PropertyVerdict
from mutproof.analyses.claims.records import LeftOpen, Record
from mutproof.base import store
from mutproof.base.budget import Budget
from mutproof.base.digest import digest_text
from mutproof.base.store import SUFFIX, Store
from mutproof.model.language import Elaborated
from mutproof.runtime.recall import Recall
from mutproof.solving import portfolio
from mutproof.solving.account import ACCOUNT
from mutproof.solving.verdict import Unknown
from mutproof.workspace import remembered
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report
from support import lustre_models, nusmv_mutants, systems
from support.lustre_models import Model, models, moved_text, operator_edit, sources
from support.lustre_mutants import options, program_of, report
from support.profiles import profile

KEY, OTHER = digest_text("key"), digest_text("other")
CONTENT = b"what was found" * 40
ROOT = Path(__file__).resolve().parents[2]


def made(folder: Path, most_bytes: int = store.MOST_BYTES, by: str = "us") -> Store:
    return Store(folder, made_by=digest_text(by), most_bytes=most_bytes)


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{SUFFIX}"))


# --- the store ------------------------------------------------------------------------------------


def test_a_content_is_found_under_its_key_until_it_is_replaced(tmp_path: Path) -> None:
    kept = made(tmp_path)
    assert kept.get(KEY) is None
    assert kept.put(KEY, CONTENT)
    assert CONTENT == made(tmp_path).get(KEY)
    assert kept.get(OTHER) is None
    assert kept.put(KEY, b"")
    assert b"" == kept.get(KEY)
    assert 1 == kept.size().entries


def test_what_another_version_wrote_is_not_found(tmp_path: Path) -> None:
    made(tmp_path, by="them").put(KEY, CONTENT)
    [theirs] = files(tmp_path)
    ours = made(tmp_path)
    assert ours.get(KEY) is None
    # Not even in the place where ours would be.
    ours.put(KEY, b"ours")
    [mine] = [path for path in files(tmp_path) if path != theirs]
    mine.write_bytes(theirs.read_bytes())
    assert ours.get(KEY) is None


def test_a_content_in_the_place_of_another_is_not_found(tmp_path: Path) -> None:
    kept = made(tmp_path)
    kept.put(KEY, CONTENT)
    [mine] = files(tmp_path)
    kept.put(OTHER, b"another content")
    [other] = [path for path in files(tmp_path) if path != mine]
    other.write_bytes(mine.read_bytes())
    assert kept.get(OTHER) is None
    assert CONTENT == kept.get(KEY)


@profile(300)
@given(sources())
def test_a_damaged_content_is_not_found_and_goes(
    tmp_path_factory: pytest.TempPathFactory, source: random.Random
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged"
    kept = made(folder)
    assert kept.put(KEY, CONTENT)
    [path] = files(folder)
    before = path.read_bytes()
    path.write_bytes(damaged(source, before))
    assert kept.get(KEY) is None
    assert [] == files(folder)


def damaged(source: random.Random, data: bytes) -> bytes:
    """Return other bytes: cut short, longer, or with some of them changed."""
    match source.randrange(4):
        case 0:
            return data[: source.randrange(len(data))]
        case 1:
            return data + bytes([source.randrange(256)])
        case 2:
            return data[source.randrange(1, len(data)) :]
        case _:
            changed = bytearray(data)
            for _ in range(source.randint(1, 3)):
                changed[source.randrange(len(data))] ^= source.randint(1, 255)
            return bytes(changed) if bytes(changed) != data else data[:-1]


def test_what_was_not_used_for_the_longest_time_makes_room(tmp_path: Path) -> None:
    source = random.Random(0)
    kept = made(tmp_path, most_bytes=4_000)
    keys = [digest_text(str(number)) for number in range(5)]
    for age, key in enumerate(keys[:4]):
        assert kept.put(key, source.randbytes(900))
        for path in files(tmp_path):
            if path.stat().st_mtime > 1_000:
                os.utime(path, (age, age))
    assert kept.get(keys[0]) is not None  # used now, so the next one goes
    assert kept.put(keys[4], source.randbytes(900))
    assert [True, False, True, True, True] == [kept.get(key) is not None for key in keys]
    assert kept.size().size <= 4_000


def test_what_is_larger_than_half_of_the_room_is_not_kept(tmp_path: Path) -> None:
    kept = made(tmp_path, most_bytes=1_000)
    assert not kept.put(KEY, random.Random(1).randbytes(600))
    assert 0 == kept.size().entries


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    kept = made(tmp_path / "file")
    assert not kept.put(KEY, CONTENT)
    assert kept.get(KEY) is None
    assert 0 == kept.clear().entries


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("call", ["replace", "fdopen"])
def test_a_full_or_read_only_disk_loses_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, call: str
) -> None:
    kept = made(tmp_path)
    assert kept.put(KEY, CONTENT)

    class Full:
        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def write(self, _: bytes) -> None:
            raise OSError(number, os.strerror(number))

    def refuse(*_: object) -> object:
        if call == "fdopen":
            return Full()
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        assert not kept.put(KEY, b"something else")
        assert not kept.put(OTHER, CONTENT)
    assert CONTENT == kept.get(KEY)
    assert kept.get(OTHER) is None
    assert 1 == len([path for path in tmp_path.rglob("*") if path.is_file()])


def test_clearing_leaves_what_is_not_ours(tmp_path: Path) -> None:
    kept = made(tmp_path)
    kept.put(KEY, CONTENT)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "ab").mkdir(exist_ok=True)
    (tmp_path / "ab" / "notes.txt").write_text("mine")
    assert 1 == kept.clear().entries
    assert 0 == kept.size().entries
    assert 2 == len(list(tmp_path.rglob("notes.txt")))


WRITER = """
import random, sys
from pathlib import Path
from mutproof.base.digest import digest_text
from mutproof.base.store import Store
source = random.Random(int(sys.argv[2]))
kept = Store(Path(sys.argv[1]), made_by=digest_text("us"), most_bytes=60_000)
hits = 0
for _ in range(300):
    number = source.randrange(12)
    content = random.Random(number).randbytes(4_000 + number)
    if source.random() < 0.5:
        kept.put(digest_text(str(number)), content)
    else:
        found = kept.get(digest_text(str(number)))
        assert found is None or found == content, number
        hits += found is not None
assert hits > 20, hits
"""


def test_processes_that_write_at_the_same_time_see_whole_contents_only(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(n)], env=environment)
        for n in range(3)
    ]
    assert [0, 0, 0] == [process.wait(timeout=60) for process in running]
    kept = made(tmp_path)
    found = [kept.get(digest_text(str(number))) for number in range(12)]
    assert any(content is not None for content in found)
    for number, content in enumerate(found):
        assert content in {None, random.Random(number).randbytes(4_000 + number)}


# --- what is remembered ---------------------------------------------------------------------------


def carried(memory: Memory) -> Memory:
    """Return what another process would read."""
    return remembered.from_plain(marshal.loads(marshal.dumps(remembered.to_plain(memory))))


def verdicts(found: Report) -> object:
    return (
        [(p.name, p.verdict, p.k, p.core, p.must, p.vacuity, p.trace) for p in found.properties],
        [(f.mutant, f.status, f.killed_by, f.steps, f.k, f.trace) for f in found.mutants],
    )


def check_warm(elaborated: Elaborated, *, cores: bool = False, level: str = "default") -> Report:
    """A run on what another process wrote: no question, and the same verdicts."""
    memory, chosen = Memory(), options(level, cores=cores)
    first = report(elaborated, chosen, memory)
    again = report(elaborated, chosen, carried(memory))
    assert verdicts(first) == verdicts(again)
    decided = [p for p in first.properties if p.verdict is not PropertyVerdict.UNKNOWN]
    if len(decided) == len(first.properties):
        assert 0 == again.statistics.solver_calls
        assert 0 == again.statistics.decided + again.statistics.reproved
        origins = {f.origin for f in again.mutants if f.status is not MutantStatus.IGNORED}
        assert origins <= {Origin.KEPT, Origin.REPLAYED}
    return again


@profile(10)
@given(models(size=3), st.booleans())
def test_a_second_process_asks_no_solver(model: Model, cores: bool) -> None:
    check_warm(lustre_models.accepted(model.text), cores=cores)


RING = """\
MODULE cell(step)
VAR at : {a, b, c};
ASSIGN
  init(at) := a;
  next(at) := case step : case at = a : b; at = b : c; TRUE : a; esac; TRUE : at; esac;
MODULE main
VAR go : boolean; left : cell(go); n : 0..5;
ASSIGN
  init(n) := 0;
  next(n) := case n < 5 & go : n + 1; TRUE : n; esac;
JUSTICE go
INVARSPEC NAME low := n <= 5
INVARSPEC NAME wrong := n < 5
CTLSPEC NAME back := AG (left.at = b -> AF left.at = a)
LTLSPEC NAME often := G F left.at = c
LTLSPEC NAME never := G left.at = a
"""


def test_a_second_process_asks_no_solver_about_temporal_properties() -> None:
    found = check_warm(nusmv_mutants.accepted(RING))
    assert {PropertyVerdict.PROVED, PropertyVerdict.FALSIFIED} == {
        p.verdict for p in found.properties
    }
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= {f.status for f in found.mutants}


@profile(10)
@given(models(size=3), sources())
def test_what_is_known_of_an_earlier_version_gives_the_verdicts_of_a_run_from_scratch(
    model: Model, source: random.Random
) -> None:
    memory, chosen = Memory(), options("default")
    report(lustre_models.accepted(model.text), chosen, memory)
    edited = operator_edit(source, model)
    elaborated = lustre_models.accepted(moved_text(source, edited.text))
    warm, cold = report(elaborated, chosen, carried(memory)), report(elaborated, chosen)
    for one, other in zip(warm.properties, cold.properties, strict=True):
        unknown = PropertyVerdict.UNKNOWN in {one.verdict, other.verdict}
        assert unknown or (one.name, one.verdict) == (other.name, other.verdict)
    if [p.verdict for p in warm.properties] == [p.verdict for p in cold.properties]:
        for here, there in zip(warm.mutants, cold.mutants, strict=True):
            unknown = MutantStatus.UNKNOWN in {here.status, there.status}
            assert unknown or (here.mutant, here.status) == (there.mutant, there.status)
            assert unknown or here.killed_by == there.killed_by


def test_what_stands_for_no_certificate_stays_what_it_is() -> None:
    memory = Memory()
    report(nusmv_mutants.accepted(RING), options("default", cores=False), memory)
    before = {n: h.certificate is UNCERTIFIED for n, (h, _) in memory.proofs.proofs.items()}
    after = {n: h.certificate is UNCERTIFIED for n, (h, _) in carried(memory).proofs.proofs.items()}
    assert True in before.values()
    assert before == after


def test_what_a_clock_left_open_is_not_kept() -> None:
    memory = Memory()
    asked = digest_text("question")
    for name, by_clock in (("by units", False), ("by clock", True)):
        left = LeftOpen(asked, "some reason", 3, by_clock=by_clock)
        memory.records[name] = Record({}, {}, undecided=left)
    found = carried(memory).records
    assert ["by units"] == [name for name, _ in found.newest()]


@pytest.mark.parametrize(
    ("budget", "late"), [(Budget(0, 0.0), True), (Budget(1, 1e6), False)], ids=["seconds", "units"]
)
def test_an_attempt_tells_whether_a_clock_ended_it(budget: Budget, late: bool) -> None:
    before = ACCOUNT.late
    verdict = portfolio.prove(systems.counter(900, 899), budget).verdicts["bounded"]
    assert isinstance(verdict, Unknown)
    assert late == (ACCOUNT.late > before)


@profile(60)
@given(sources())
def test_plain_values_of_any_shape_are_a_memory_or_an_error(source: random.Random) -> None:
    plain = spoilt(source, counted())
    try:
        found = remembered.from_plain(plain)
    except ValueError:
        return
    assert isinstance(found, Memory)


COUNTER = """\
node top(tick: bool) returns (n: int; ok: bool);
let
  n = 0 -> if tick and pre n < 3 then pre n + 1 else pre n;
  ok = n <= 3;
  --%PROPERTY ok;
tel;
"""


@cache
def counted() -> object:
    """Return what is remembered of the counter, as plain values."""
    memory = Memory()
    report(lustre_models.accepted(COUNTER), options("default"), memory)
    return remembered.to_plain(memory)


def spoilt(source: random.Random, plain: object) -> object:
    """Return plain values with one of them in the place of another."""
    if isinstance(plain, tuple | list) and plain and source.random() < 0.95:
        index = source.randrange(len(plain))
        items = [*plain[:index], spoilt(source, plain[index]), *plain[index + 1 :]]
        return items if isinstance(plain, list) else tuple(items)
    return source.choice((None, -7, 10**6, "text", b"bytes", (), [0, 10**9], {}))


# --- recalling ------------------------------------------------------------------------------------


def test_a_text_is_recognised_elsewhere_and_a_file_after_an_edit(tmp_path: Path) -> None:
    elaborated = lustre_models.accepted(COUNTER)
    program, memory = program_of(elaborated), Memory()
    report(elaborated, options("default"), memory)
    recall = Recall(made(tmp_path))
    assert recall.read("one.lus", program) is None
    recall.write("one.lus", program, memory, mutants=10, changed=True)

    edited = program_of(lustre_models.accepted(COUNTER.replace("pre n + 1", "pre n + 2")))
    fresh = Recall(made(tmp_path))
    assert fresh.read("other.lus", program) is not None
    assert fresh.read("other.lus", edited) is None
    assert fresh.read("one.lus", edited) is not None


def test_what_workers_found_in_their_shares_is_put_together(tmp_path: Path) -> None:
    elaborated = lustre_models.accepted(COUNTER)
    program, chosen = program_of(elaborated), options("default", cores=True)
    found: dict[str, object] = {}
    for part in range(3):
        memory = Memory()
        share = report(elaborated, replace(chosen, share=(part, 3)), memory)
        found |= {f.mutant: (f.status, f.killed_by) for f in share.mutants}
        recall = Recall(made(tmp_path))
        recall.write("one.lus", program, memory, mutants=9, changed=True, share=(part, 3))
    recalled = Recall(made(tmp_path)).read("one.lus", program)
    assert recalled is not None
    warm = report(elaborated, chosen, recalled)
    assert found == {f.mutant: (f.status, f.killed_by) for f in warm.mutants}
    assert 0 == warm.statistics.solver_calls == warm.statistics.decided
    assert all(f.core is not None for f in warm.properties)


def test_nothing_is_written_where_nothing_is_new(tmp_path: Path) -> None:
    elaborated = lustre_models.accepted(COUNTER)
    program, memory = program_of(elaborated), Memory()
    recall = Recall(made(tmp_path))
    recall.write("one.lus", program, memory, mutants=0, changed=True)
    before = [path.stat().st_mtime_ns for path in files(tmp_path)]
    recall.write("one.lus", program, memory, mutants=0, changed=False)
    assert before == [path.stat().st_mtime_ns for path in files(tmp_path)]
    Recall(None).write("one.lus", program, memory, mutants=0, changed=True)
    assert Recall(None).read("one.lus", program) is None


def test_an_undone_edit_names_what_is_kept_and_writes_it_no_second_time(tmp_path: Path) -> None:
    programs = [
        program_of(lustre_models.accepted(COUNTER.replace("pre n + 1", f"pre n + {step}")))
        for step in (1, 2, 3)
    ]
    first, edited, other = programs
    recall, known = Recall(made(tmp_path)), Memory()
    report(lustre_models.accepted(COUNTER), options("default"), known)
    assert recall.write("one.lus", first, known, mutants=9, changed=True)
    assert recall.write("one.lus", edited, Memory(), mutants=9, changed=True)
    before = {path: path.stat().st_mtime_ns for path in files(tmp_path)}

    assert not recall.write("one.lus", first, Memory(), mutants=9, changed=False)

    changed = [path for path in files(tmp_path) if before.get(path) != path.stat().st_mtime_ns]
    assert 1 == len(changed)  # the name of the newest
    found = Recall(made(tmp_path)).read("one.lus", other)
    assert found is not None
    assert len(known.records) == len(found.records)


@profile(25)
@given(sources())
def test_a_damaged_store_gives_the_verdicts_of_a_run_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, source: random.Random
) -> None:
    folder = tmp_path_factory.getbasetemp() / "recalled"
    elaborated = lustre_models.accepted(COUNTER)
    program, memory = program_of(elaborated), Memory()
    cold = report(elaborated, options("default"), memory)
    Recall(made(folder)).write("one.lus", program, memory, mutants=10, changed=True)
    for path in files(folder):
        if source.random() < 0.7:
            path.write_bytes(damaged(source, path.read_bytes()))
    recalled = Recall(made(folder)).read("one.lus", program)
    warm = report(elaborated, options("default"), recalled or Memory())
    assert verdicts(cold) == verdicts(warm)
