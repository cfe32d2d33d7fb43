"""`mutate --since` and `--in-diff`: only what a change concerns is decided, and that is said."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from process import Ended, command, environment, mutproof

from mutproof.base.unified_diff import DiffError, parsed
from mutproof.cli.topics import CODES
from support.changed_models import HALVES

EDITED = HALVES.replace("n > 3", "n > 2").replace("node", "-- A comment.\nnode")
OTHER = """\
node main (a : int) returns (y : int; ok : bool);
let
  y = a + 1;
  ok = y > a;
  --%PROPERTY ok;
tel;
"""


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.com")
    plain = ("-c", "core.autocrlf=false", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *named, *plain, *words], cwd=folder, capture_output=True, encoding="utf-8",
        env={**os.environ, "GIT_CONFIG_NOSYSTEM": "1"}, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Path:
    """Return a repository in which a model was edited since the last commit."""
    folder = tmp_path / "a repository"
    (folder / "models").mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "models" / "één.lus").write_text(HALVES, encoding="utf-8", newline="")
    (folder / "models" / "other.lus").write_text(OTHER, newline="")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "models")
    (folder / "models" / "één.lus").write_text(EDITED, encoding="utf-8", newline="")
    return folder


def mutate(folder: Path, *words: str | Path, **changes: str) -> Ended:
    return mutproof("mutate", *words, "--no-timings", "--no-cache", "--jobs", "1", cwd=folder,
                    **changes)  # fmt: skip


def concerned(ended: Ended) -> dict[str, tuple[int, int]]:
    """Return of how many mutants of each file a JSON report tells, and how many it left out."""
    report = json.loads(ended.out)
    left = report["mutproof"]["leftAlone"]
    return {
        Path(path).name: (len(file["mutants"]), left[path]["mutants"])
        for path, file in report["files"].items()
    }


def test_what_changed_since_a_revision_is_decided(repository: Path) -> None:
    ended = mutate(repository, "models", "--since", "HEAD")
    assert 2 == ended.code
    assert " mutants left out that the change since HEAD does not concern" in ended.out
    lines = [line for line in ended.out.splitlines() if " at " in line]
    assert lines
    assert {"6"} == {line.split(" at ")[1].split(":")[0] for line in lines}
    blocks = dict(block.split("\n", 1) for block in ended.out.split("models/")[1:])
    left_out = "left out that the change since HEAD does not concern"
    assert re.fullmatch(rf"\d mutants {left_out}\s*", blocks["other.lus"])

    form = ("--format", "json")
    whole = json.loads(mutate(repository, "models", *form).out)["files"]
    for words in (("--since", "HEAD"), ("--since", "HEAD", "--level", "default")):
        counts = concerned(mutate(repository, "models", *words, *form))
        assert {Path(path).name: len(file["mutants"]) for path, file in whole.items()} == {
            name: sum(both) for name, both in counts.items()
        }
        assert 0 == counts["other.lus"][0]


def test_a_diff_says_the_same_as_the_revision_it_starts_from(repository: Path) -> None:
    form = ("--format", "json")
    since = concerned(mutate(repository, "models", "--since", "HEAD", *form))
    (repository / "c.diff").write_text(git(repository, "diff"), encoding="utf-8")
    assert since == concerned(mutate(repository, "models", "--in-diff", "c.diff", *form))
    below = mutate(repository / "models", ".", "--in-diff", "../c.diff", *form)
    assert since == concerned(below)
    (repository / "plain.diff").write_text(git(repository, "diff", "--no-prefix"), encoding="utf-8")
    assert since == concerned(mutate(repository, "models", "--in-diff", "plain.diff", *form))


def test_a_diff_may_hold_bytes_that_comments_hold(repository: Path) -> None:
    model = repository / "models" / "bytes.lus"
    old = b"-- na\xefve\n" + HALVES.encode()
    model.write_bytes(old)
    git(repository, "add", "models/bytes.lus")
    model.write_bytes(old.replace(b"n > 3", b"n > 2").replace(b"\xef", b"\xeb"))
    diff = subprocess.run(
        ["git", "diff", "models/bytes.lus"], cwd=repository, capture_output=True, check=True
    ).stdout
    (repository / "c.diff").write_bytes(diff)
    ended = mutate(repository, "models/bytes.lus", "--in-diff", "c.diff", "--format", "json")
    assert 0 < concerned(ended)["bytes.lus"][1]


def test_a_diff_may_come_from_standard_input(repository: Path) -> None:
    done = subprocess.run(
        command("mutate", "models", "--in-diff", "-", "--no-timings", "--no-cache"),
        input=git(repository, "diff"), cwd=repository, env=environment(), capture_output=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert (2, "") == (done.returncode, done.stderr)
    assert "left out that the change in standard input does not concern" in done.stdout


def test_a_file_that_there_was_not_is_new(repository: Path) -> None:
    (repository / "models" / "new.lus").write_text(HALVES)
    ended = mutate(repository, "models/new.lus", "--since", "HEAD", "--format", "json")
    assert 0 == concerned(ended)["new.lus"][1]
    git(repository, "add", "--intent-to-add", "models/new.lus")
    (repository / "c.diff").write_text(git(repository, "diff"), encoding="utf-8")
    ended = mutate(repository, "models/new.lus", "--in-diff", "c.diff", "--format", "json")
    assert 0 == concerned(ended)["new.lus"][1]


def test_hooks_may_ask(repository: Path) -> None:
    """Git tells its hooks where the repository is, from another folder than that of a model."""
    hook = {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index"}
    ended = mutate(repository, "models/other.lus", "--since", "HEAD", **hook)
    assert (0, "") == (ended.code, ended.err)


def test_a_gate_is_about_what_was_decided(repository: Path) -> None:
    model = repository / "models" / "één.lus"
    model.write_text(HALVES.replace("node", "-- Only a comment.\nnode"), encoding="utf-8")
    assert 2 == mutate(repository, "models").code
    ended = mutate(repository, "models", "--since", "HEAD", "--threshold", "100")
    assert (0, "") == (ended.code, ended.err)


def test_gaps_that_are_left_out_stay_accepted(repository: Path) -> None:
    baseline = ("--baseline", "accepted.json")
    mutate(repository, "models", *baseline, "--update-baseline", "--reason", "known")
    before = (repository / "accepted.json").read_text()
    for more in ((), ("--update-baseline",)):
        ended = mutate(repository, "models", *baseline, "--since", "HEAD", *more)
        assert 0 == ended.code
        assert "stale" not in ended.err
        assert before == (repository / "accepted.json").read_text()


def verdicts(ended: Ended) -> list[str]:
    """Return the lines of a report without how verdicts were obtained."""
    return [line.partition(" (")[0] for line in ended.out.splitlines()]


def test_merged_shards_of_a_change_are_one_run_in_every_form(repository: Path) -> None:
    words = ("models", "--since", "HEAD")
    for number in (1, 2):
        part = ("--shard", f"{number}/2", "--format", "json", "--output", f"{number}.json")
        assert 0 == mutate(repository, *words, *part).code
    whole = mutate(repository, *words)
    merged = mutproof("merge", "1.json", "2.json", cwd=repository)
    assert (whole.code, verdicts(whole)) == (merged.code, verdicts(merged))

    said = "mutants left out that the change since HEAD does not concern"
    assert said in merged.out
    for form in ("html", "github", "sarif", "junit"):
        ended = mutproof("merge", "1.json", "2.json", "--format", form, cwd=repository)
        assert (said in ended.out, said in ended.err) == (form != "junit", form == "junit")


def refused(code: str, ended: Ended) -> None:
    """Check that a run ends with an error under a code that can be explained."""
    assert (1, "") == (ended.code, ended.out)
    assert f"error[{code}]" in ended.err
    assert code in CODES


def test_a_revision_has_to_be_known(repository: Path, tmp_path: Path) -> None:
    for revision in ("no-such-branch", "--help", "", "HEAD:models"):
        refused("unknown-revision", mutate(repository, "models", f"--since={revision}"))
    (tmp_path / "alone.lus").write_text(HALVES)
    refused("no-repository", mutate(tmp_path, "alone.lus", "--since", "HEAD"))
    refused("no-repository", mutate(repository, "models", "--since", "HEAD", PATH=""))
    assert "not allowed with" in mutate(repository, "models", "--since", "a", "--in-diff", "b").err


def test_a_diff_has_to_fit(repository: Path) -> None:
    diff = git(repository, "diff")

    def run(text: str, folder: Path = repository) -> Ended:
        (repository / "c.diff").write_text(text, encoding="utf-8")
        return mutate(folder, repository / "models", "--in-diff", repository / "c.diff")

    refused("unfit-diff", run(diff.replace("n > 2", "n > 1")))
    refused("unfit-diff", run(diff.replace("%C3%A9", "e").replace("\\303\\251", "e")))
    refused("not-a-diff", run(HALVES))
    refused("not-a-diff", run(diff[: len(diff) // 2]))
    refused("not-a-diff", mutate(repository, "models", "--in-diff", "nothing.diff"))
    (repository / ".gitattributes").write_text("*.lus -diff\n")
    refused("unfit-diff", run(git(repository, "diff")))
    refused("unfit-diff", run(git(repository, "diff", "--binary")))


def test_a_diff_is_undone() -> None:
    text = (
        "words before\ndiff --git a/x b/y\nsimilarity index 80%\nrename from x\nrename to y\n"
        'index 1..2 100644\n--- "a/x\\303\\251"\t2026-01-01\n+++ b/y\n@@ -1,3 +1,3 @@ node\n one\n'
        "-two\n+2\n three\n@@ -9 +8,0 @@\n-nine\n@@ -12 +11 @@\n-end\n\\ No newline at end\n"
        "+END\n\\ No newline at end\ndiff --git a/z b/zz\nrename from z\nrename to zz\n"
    )
    change, renamed = parsed(text)
    today = "one\n2\nthree\n4\n5\n6\n7\n8\n10\n11\nEND"
    assert ("xé", "y", "z", "zz") == (change.old, change.new, renamed.old, renamed.new)
    assert "one\ntwo\nthree\n4\n5\n6\n7\n8\nnine\n10\n11\nend" == change.undone(today)
    assert "same" == renamed.undone("same")
    assert () == parsed("")
    for wrong in ("@@ -1 +1 @@\n-a\n+b\n", "--- a\n+++ b\n@@ -1 +1 @@\n*a\n", "@@@ -1 -1 +1 @@@\n"):
        with pytest.raises(DiffError):
            parsed(wrong)
