"""What somebody else puts among what is kept changes no verdict, and takes no time to refuse."""

from __future__ import annotations

import hashlib
import marshal
import os
import stat
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.claims.variant import content
from mutproof.base import store, user_key
from mutproof.base.digest import Digest, digest_text
from mutproof.base.store import SUFFIX, Seal, Store
from mutproof.model import terms
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Program
from mutproof.runtime import recall as recalling
from mutproof.runtime.recall import Recall
from mutproof.solving.verdict import Certificate
from mutproof.workspace import rechecks, remembered
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report
from support import lustre_models
from support.forged import forged as fake
from support.lustre_mutants import options, program_of, report

KEY = digest_text("key")
MODEL = """\
node top(tick: bool) returns (n: int; ok: bool);
let
  n = 0 -> if tick and pre n < 3 then pre n + 1 else pre n;
  ok = n <= 2;
  --%PROPERTY ok;
tel;
"""


def forged() -> tuple[Program, Memory]:
    """Return a program, and a memory that says that its property is proved."""
    elaborated = lustre_models.accepted(MODEL)
    memory = Memory()
    report(elaborated, options("default"), memory)
    ((name, _),) = memory.proofs.failures.items()
    holds = fake(Holds, Certificate(1, (terms.FALSE,), (name,)), frozenset(), "k-induction")
    said = {name: memory.proofs.terms[name]}
    memory = Memory()
    memory.proofs.earlier[name] = ((holds, said),)
    return program_of(elaborated), memory


class Unkeyed(Seal):
    """Seal as whoever knows no secret can."""

    def _of(self, key: Digest, packed: bytes) -> bytes:
        hasher = hashlib.blake2b(digest_size=32)
        for part in (self.maker, key, packed):
            hasher.update(len(part).to_bytes(8, "little"))
            hasher.update(part)
        return hasher.digest()


@pytest.mark.parametrize("sealed", ["without a secret", "with another one"])
def test_evidence_that_this_account_has_not_sealed_does_not_count(
    tmp_path: Path, sealed: str
) -> None:
    program, memory = forged()
    theirs = Store(tmp_path, made_by=KEY, secret=b"x" * 32)
    if sealed == "without a secret":
        vars(theirs)["_seal"] = Unkeyed(KEY, b"")
    Recall(theirs).write("one.lus", program, memory, mutants=0, changed=True)
    assert list(tmp_path.rglob(f"*{SUFFIX}"))
    recalled = Recall(Store(tmp_path, made_by=KEY)).read("one.lus", program)
    assert recalled is None
    found = report(lustre_models.accepted(MODEL), options("default"), recalled or Memory())
    assert [PropertyVerdict.FALSIFIED] == [p.verdict for p in found.properties]
    assert [] == list(tmp_path.rglob(f"*{SUFFIX}"))


def entry(folder: Path) -> Path:
    """Return where the content of a key is kept."""
    kept = Store(folder, made_by=KEY)
    assert kept.put(KEY, b"content")
    (path,) = folder.rglob(f"*{SUFFIX}")
    return path


def test_a_file_that_unpacks_to_much_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = entry(tmp_path)
    path.write_bytes(zlib.compress(bytes(10_000_000)) + bytes(32))

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(zlib, "decompress", refuse)
    monkeypatch.setattr(zlib, "decompressobj", refuse)
    assert Store(tmp_path, made_by=KEY).get(KEY) is None


def test_what_unpacks_to_more_than_is_kept_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path, made_by=KEY)
    assert kept.put(KEY, bytes(5_000))
    monkeypatch.setattr(store, "_MOST_CONTENT", 4_000)
    assert kept.get(KEY) is None


def huge(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(1 << 40)  # takes no room


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("made", [huge, fifo, link, folder])
def test_what_is_no_file_of_ours_is_not_read(tmp_path: Path, made: Any) -> None:
    path = entry(tmp_path)
    made(path)
    assert Store(tmp_path, made_by=KEY).get(KEY) is None


@pytest.mark.parametrize("parts", [10**9, 0, -1, True, 2.0, "1", None])
def test_a_number_of_shares_is_bounded(tmp_path: Path, parts: object) -> None:
    program, memory = forged()
    kept = Store(tmp_path, made_by=KEY)
    content = marshal.dumps((parts, remembered.to_plain(memory)))
    assert kept.put(recalling._key(program.digest, 0), content)
    assert Recall(kept).read("one.lus", program) is None


@pytest.mark.parametrize("content", [b"(\0\0\0\x01", b"[\0\0\0\x01", b"\xa9\xff" * 9])
def test_lengths_that_are_not_there_are_no_memory(tmp_path: Path, content: bytes) -> None:
    program, _ = forged()
    kept = Store(tmp_path, made_by=KEY)
    assert kept.put(recalling._key(program.digest, 0), content)
    assert Recall(kept).read("one.lus", program) is None


# --- what bears the right seal, and is false ---------------------------------------------------


def read_back(folder: Path, program: Program, memory: Memory) -> Memory:
    """Return a memory as a worker starts with it that reads it from disk."""
    kept = Store(folder, made_by=KEY)
    Recall(kept).write("one.lus", program, memory, mutants=1000, changed=True)
    recalled = Recall(kept).read("one.lus", program)
    assert recalled is not None
    rechecks.recheck(recalled, interpretation(program).system())
    return recalled


@pytest.mark.parametrize("place", ["proofs", "earlier"])
def test_a_certificate_that_proves_nothing_does_not_count(tmp_path: Path, place: str) -> None:
    program, memory = forged()
    if place == "proofs":
        ((name, known),) = memory.proofs.earlier.items()
        holds, stated = known[0]
        memory.proofs.proofs[name] = holds, frozenset()
        memory.proofs.terms.update(stated)
        memory.proofs.earlier.clear()
    recalled = read_back(tmp_path, program, memory)
    found = report(lustre_models.accepted(MODEL), options("default"), recalled)
    assert [PropertyVerdict.FALSIFIED] == [p.verdict for p in found.properties]


PROVED = MODEL.replace("n <= 2", "n <= 3")


def verdicts(found: Report) -> list[object]:
    return [p.verdict for p in found.properties] + [(m.mutant, m.status) for m in found.mutants]


@pytest.mark.parametrize("lie", ["supports", "certificates", "goals", "steps"])
def test_proofs_of_mutants_count_only_where_they_prove_them(tmp_path: Path, lie: str) -> None:
    elaborated, memory = lustre_models.accepted(PROVED), Memory()
    honest = report(elaborated, options("default"), memory)
    program = program_of(elaborated)
    system = interpretation(program).system()
    ((name, (holds, _)),) = memory.proofs.proofs.items()
    proof = holds.certificate
    false = {
        "supports": fake(Holds, proof, frozenset(), holds.how),
        "certificates": fake(Holds, Certificate(1, (terms.FALSE,), (name,)), content(system), "x"),
        "goals": fake(Holds, replace(proof, goals=()), frozenset(), holds.how),
        "steps": fake(Holds, replace(proof, k=10**9), content(system), "x"),
    }[lie]
    for mutant, record in reversed([*memory.records.newest()]):
        memory.records[mutant] = replace(record, holds={name: false}, fails={})
    recalled = read_back(tmp_path, program, memory)
    assert verdicts(honest) == verdicts(report(elaborated, options("default"), recalled))


def test_executions_count_only_where_they_show_a_failure(tmp_path: Path) -> None:
    elaborated, memory = lustre_models.accepted(PROVED), Memory()
    honest = report(elaborated, options("default"), memory)
    program = program_of(elaborated)
    failures = [f for _, record in memory.records.newest() for f in record.fails.values()]
    ((name, _),) = memory.proofs.proofs.items()
    memory.proofs.failures[name] = failures[0]
    memory.proofs.proofs.clear()
    memory.proofs.earlier.clear()
    for mutant, record in reversed([*memory.records.newest()]):
        memory.records[mutant] = replace(record, holds={}, fails={name: failures[0]})
    recalled = read_back(tmp_path, program, memory)
    assert verdicts(honest) == verdicts(report(elaborated, options("default"), recalled))


def test_what_was_proved_and_checked_again_is_not_proved_again(tmp_path: Path) -> None:
    elaborated, memory = lustre_models.accepted(PROVED), Memory()
    honest = report(elaborated, options("default"), memory)
    recalled = read_back(tmp_path, program_of(elaborated), memory)
    again = report(elaborated, options("default"), recalled)
    assert verdicts(honest) == verdicts(again)
    assert 0 == again.statistics.decided
    assert 1 == again.statistics.properties_kept


# --- whose folder it is ---------------------------------------------------------------------------


def test_a_folder_that_everybody_may_write_to_is_refused(tmp_path: Path) -> None:
    path = entry(tmp_path)
    tmp_path.chmod(0o777)
    assert "every user may write to it" == store.refusal(tmp_path)
    kept = Store(tmp_path, made_by=KEY)
    assert kept.get(KEY) is None
    assert not kept.put(KEY, b"other")
    assert path.exists()
    tmp_path.chmod(0o755)
    assert b"content" == kept.get(KEY)


def test_a_folder_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert "it belongs to another user" == store.refusal(tmp_path)
    assert Store(tmp_path, made_by=KEY).get(KEY) is None


def test_what_is_kept_is_for_this_account_only(tmp_path: Path) -> None:
    path = entry(tmp_path / "kept")
    for place in (tmp_path / "kept", path.parent):
        assert 0o700 == stat.S_IMODE(place.stat().st_mode)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


# --- the secret -----------------------------------------------------------------------------------


def test_a_secret_stays_the_same_and_is_for_this_account_only(tmp_path: Path) -> None:
    place = tmp_path / "state"
    secret = user_key.key_in(place)
    assert secret is not None
    assert user_key.KEY_BYTES == len(secret)
    assert secret == user_key.key_in(place)
    assert [0o600] == [stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()]
    assert 0o700 == stat.S_IMODE(place.stat().st_mode)
    assert secret != user_key.key_in(tmp_path / "other")


def readable(path: Path) -> None:
    path.chmod(0o644)


def short(path: Path) -> None:
    path.write_bytes(b"x")


@pytest.mark.parametrize("made", [readable, short, fifo, link])
def test_a_secret_that_others_may_know_is_replaced(tmp_path: Path, made: Any) -> None:
    secret = user_key.key_in(tmp_path)
    (path,) = tmp_path.iterdir()
    made(path)
    replaced = user_key.key_in(tmp_path)
    assert replaced is not None
    assert secret != replaced
    assert replaced == user_key.key_in(tmp_path)


def test_a_place_that_others_may_write_to_holds_no_secret(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert user_key.key_in(tmp_path) is None


def test_without_a_place_for_the_secret_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    assert user_key.key_in(tmp_path / "file") is None
    monkeypatch.setattr(user_key, "user_key", lambda: None)
    kept = Store(tmp_path / "kept", made_by=KEY)
    assert not kept.put(KEY, b"content")
    assert kept.get(KEY) is None
