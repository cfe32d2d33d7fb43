"""`mutate --duplicates`: how reports show mutants that are the same function."""

from __future__ import annotations

import json
from pathlib import Path

from process import mutproof

LUSTRE = """\
node least(up, fast: bool) returns (level: int);
var old: int; kept: bool;
let
  old = 0 -> pre level;
  level = if up or (fast and up) then old + 1 else old;
  kept = level >= old;
  --%PROPERTY kept;
tel;
"""

NUSMV = """\
MODULE main
VAR x : 0..3; a : boolean;
ASSIGN
  init(x) := 0;
  next(x) := a & x < 3 ? x + 1 : x;
INVARSPEC x <= 3;
LTLSPEC G (x >= 0);
"""

ALL = ("--level", "all", "--duplicates", "--no-timings", "--no-cache", "--jobs", "1")


def run(folder: Path, name: str, text: str, *words: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    ended = mutproof("mutate", name, *ALL, *words, cwd=folder)
    assert ended.code in {0, 2}, ended.err
    return ended.out


def check(folder: Path, name: str, text: str) -> None:
    """Check that text and JSON count the same duplicates, each of them with an earlier mutant."""
    said = run(folder, name, text)
    report = json.loads(run(folder, name, text, "--format", "json"))
    mutants = report["files"][name]["mutants"]
    sums = report["mutproof"]["functions"][name]
    before: set[str] = set()
    verdicts = {}
    for one in mutants:
        own, verdicts[one["id"]] = one["mutproof"], (one["status"], one["killedBy"])
        earlier = own.get("duplicateOf")
        assert earlier is None or earlier in before
        if earlier is not None:
            assert verdicts[earlier] == verdicts[one["id"]]
        before.add(one["id"])
    named = [one["mutproof"]["duplicateOf"] for one in mutants if "duplicateOf" in one["mutproof"]]
    assert sums["unchanged"] == named.count(None)
    assert sums["duplicated"] == len(named) - named.count(None) > 0
    assert sums["mutants"] == sums["functions"] + len(named)
    assert (
        f"at most {sums['functions']} functions: at least {sums['duplicated']} of"
        f" {sums['mutants']} mutants duplicate another one, at least {sums['unchanged']} the model;"
        f" score of functions {sums['killed']}/{sums['valid']} = "
    ) in said
    assert len(named) == said.count(", duplicates ")


def test_text_and_json_count_duplicates(tmp_path: Path) -> None:
    check(tmp_path, "n.lus", LUSTRE)
    check(tmp_path, "n.smv", NUSMV)


def test_shards_together_say_what_one_run_says(tmp_path: Path) -> None:
    whole = run(tmp_path, "n.lus", LUSTRE)
    for part in ("1/2", "2/2"):
        shard = run(tmp_path, "n.lus", LUSTRE, "--shard", part, "--format", "json")
        (tmp_path / f"{part[0]}.json").write_text(shard, encoding="utf-8")
    merged = mutproof("merge", "1.json", "2.json", "--no-timings", cwd=tmp_path)
    assert whole == merged.out


def test_nothing_is_said_where_it_was_not_asked(tmp_path: Path) -> None:
    (tmp_path / "n.lus").write_text(LUSTRE, encoding="utf-8")
    plain = mutproof("mutate", "n.lus", "--format", "json", "--no-cache", cwd=tmp_path)
    assert "duplicateOf" not in plain.out
    assert "functions" not in json.loads(plain.out).get("mutproof", {})
