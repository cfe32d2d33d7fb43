"""`--certify` and `check-certificates`: what certifies a verdict, and whether it still does."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from process import Ended, mutproof

from mutproof.cli.commands.check_certificates import CHECKERS
from mutproof.runtime.certificate_folder import CertificateFolder, FolderError
from mutproof.runtime.script_checker import SOLVERS
from support.lustre_texts import CONTRADICTING

MODEL = """\
node main(up: bool) returns (n: int; OK: bool);
var idle: bool;
let
  n = 0 -> if up and pre n < 5 then pre n + 1 else pre n;
  idle = up or n > 2;
  OK = n <= 5;
  --%PROPERTY OK;
tel;
"""
SOLVER = """\
\"\"\"Stands in for the solver and answers each check with one word.\"\"\"

__version__ = "0"


class InputLanguage:
    SMT_LIB_2_6 = None


class Solver:
    def setOption(self, *_):
        pass


class Command:
    def __init__(self, said):
        self.said = said

    def isNull(self):
        return self.said is None

    def invoke(self, *_):
        return self.said


class InputParser:
    def __init__(self, _):
        self.left = []

    def setStringInput(self, _, text, __):
        self.left = ["{word}"] * text.count("(check-sat)") + [None]

    def getSymbolManager(self):
        return None

    def nextCommand(self):
        return Command(self.left.pop(0))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """Return the folder of a model and its certificates, and the run that wrote these."""
    folder = tmp_path_factory.mktemp("certified")
    (folder / "model.lus").write_text(MODEL)
    return folder, certified(folder, "mutate", "--format", "json")


def certified(folder: Path, command: str, *arguments: str, before: str = "") -> Ended:
    return mutproof(
        command,
        "model.lus",
        "--certify",
        "certificates",
        "--no-timings",
        *arguments,
        cwd=folder,
        before=before,
    )


def checked(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    ended = mutproof(
        "check-certificates", "certificates", "--format", "json", *arguments, cwd=folder
    )
    return ended.code, json.loads(ended.out)


def copied(folder: Path, to: Path) -> dict[str, Any]:
    """Copy certificates and return their index."""
    target = to / "certificates"
    target.mkdir()
    for path in (folder / "certificates").iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    index: dict[str, Any] = json.loads((target / "index.json").read_text())
    return index


def stub(folder: Path, text: str) -> str:
    """Return what has a package that stands in for cvc5 checked with."""
    package = folder / "stub" / "cvc5"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(text)
    child = (
        f"import sys; sys.path.insert(0, {str(package.parent)!r}); "
        "from mutproof.runtime import script_child; script_child.main(sys.argv[1:])"
    )
    return (
        "import sys; from mutproof.runtime import script_checker; "
        f"script_checker.COMMAND = (sys.executable, '-c', {child!r})"
    )


def test_every_survivor_and_proof_names_its_certificate(written: tuple[Path, Ended]) -> None:
    folder, ended = written
    assert 2 == ended.code, ended.err
    report = json.loads(ended.out)
    survivors = [
        mutant
        for mutant in report["files"]["model.lus"]["mutants"]
        if mutant["status"] in {"Survived", "NoCoverage"}
    ]
    assert survivors
    named = [mutant["mutproof"]["certificates"]["OK"] for mutant in survivors]
    named.append(report["mutproof"]["certificates"]["model.lus"]["OK"])
    assert {"confirmed"} == {one["result"] for one in named}
    index = json.loads((folder / "certificates" / "index.json").read_text())
    assert {one["file"] for one in named} == index["scripts"].keys()
    verdicts = {(one["mutant"], one["verdict"]) for one in index["verdicts"]}
    assert {(mutant["id"], "survived") for mutant in survivors} | {("", "proved")} == verdicts


def test_a_certificate_has_the_digest_that_its_name_and_the_index_say(
    written: tuple[Path, Ended],
) -> None:
    folder, _ = written
    index = json.loads((folder / "certificates" / "index.json").read_text())
    for name, script in index["scripts"].items():
        digest = hashlib.sha256((folder / "certificates" / name).read_bytes()).hexdigest()
        assert digest == script["sha256"]
        assert name == f"{digest[:32]}.smt2"


def test_the_command_offers_every_solver() -> None:
    assert SOLVERS == CHECKERS


@pytest.mark.parametrize("solver", CHECKERS)
def test_a_folder_is_checked_from_its_files_alone(
    written: tuple[Path, Ended], tmp_path: Path, solver: str
) -> None:
    index = copied(written[0], tmp_path)
    code, found = checked(tmp_path, "--solver", solver)
    assert 0 == code
    assert found["solver"].startswith(solver)
    assert {"confirmed"} == {one["result"] for one in found["certificates"]}
    assert sorted(index["scripts"]) == [one["file"] for one in found["certificates"]]


def test_a_file_that_the_index_does_not_name_is_no_certificate(
    written: tuple[Path, Ended], tmp_path: Path
) -> None:
    copied(written[0], tmp_path)
    (tmp_path / "certificates" / "extra.smt2").write_text("(check-sat)\n")
    assert 30 == checked(tmp_path)[0]


def test_missing_and_changed_files_are_found(written: tuple[Path, Ended], tmp_path: Path) -> None:
    index = copied(written[0], tmp_path)
    missing, changed, *_ = sorted(index["scripts"])
    folder = tmp_path / "certificates"
    with (folder / changed).open("a") as file:
        file.write("; changed\n")
    (folder / missing).unlink()

    code, found = checked(tmp_path)
    results = {one["file"]: one["result"] for one in found["certificates"]}
    assert 40 == code
    wrong = {missing: "missing", changed: "changed"}
    confirmed = dict.fromkeys(index["scripts"], "confirmed")
    assert {**confirmed, **wrong} == results


def test_a_refuted_certificate_is_a_defect_and_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(MODEL)
    before = stub(tmp_path, SOLVER.replace("{word}", "sat"))
    ended = certified(tmp_path, "mutate", before=before)

    assert 70 == ended.code
    assert "error[certificate-refuted]" in ended.err
    assert "UNKNOWN OK" in ended.out
    assert " 0 survived" in ended.out
    assert "UNKNOWN at 4:" in ended.out
    assert "the proof did not stand up to another solver (cvc5)" in ended.out


def test_an_open_certificate_leaves_the_verdict_and_is_not_confirmed(tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(MODEL)
    before = stub(tmp_path, SOLVER.replace("{word}", "unknown"))
    ended = certified(tmp_path, "prove", before=before)

    assert 0 == ended.code
    assert "PROVED OK" in ended.out
    assert ".smt2 not confirmed: check 1 of 2 is open, or out of time" in ended.out
    again = mutproof("check-certificates", "certificates", cwd=tmp_path, before=before)
    assert 30 == again.code
    assert "1 certificate: 0 confirmed, 1 not confirmed" in again.out


def test_without_the_solver_nothing_is_analysed(tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(MODEL)
    before = stub(tmp_path, "raise ImportError('not here')\n")
    ended = certified(tmp_path, "prove", before=before)

    assert 1 == ended.code
    assert "" == ended.out
    assert "error[solver-missing]" in ended.err
    assert "pip install 'mutproof[certify]'" in ended.err
    assert not (tmp_path / "certificates").exists()
    folder = tmp_path / "evidence"
    report = ("report", "model.lus", "--evidence", folder)
    assert 1 == mutproof(*report, cwd=tmp_path, before=before).code
    assert not folder.exists()


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(MODEL)
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / "notes.txt").write_text("keep me")
    ended = certified(tmp_path, "prove")

    assert 1 == ended.code
    assert "error[certify-folder]" in ended.err
    assert ["notes.txt"] == [path.name for path in (tmp_path / "certificates").iterdir()]
    assert 1 == mutproof("check-certificates", "certificates", cwd=tmp_path).code


def test_a_second_run_replaces_the_certificates_of_the_first(
    written: tuple[Path, Ended], tmp_path: Path
) -> None:
    copied(written[0], tmp_path)
    (tmp_path / "model.lus").write_text(MODEL)
    ended = certified(tmp_path, "prove")

    assert 0 == ended.code, ended.err
    names = sorted(path.suffix for path in (tmp_path / "certificates").iterdir())
    assert [".json", ".smt2"] == names


@pytest.mark.parametrize(
    "index",
    [
        pytest.param("[]", id="a list"),
        pytest.param("{", id="no JSON"),
        pytest.param('{"format": 99}', id="of another format"),
        pytest.param(
            '{"format": 1, "tool": {"version": "0"}, "verdicts": [],'
            ' "scripts": {"../away.smt2": {"sha256": "", "checks": 1}}}',
            id="that leads out of the folder",
        ),
    ],
)
def test_what_is_no_index_is_refused(index: str, tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text(index)
    with pytest.raises(FolderError):
        CertificateFolder(tmp_path).read()


def test_traces_are_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(MODEL.replace("n <= 5", "n <= 1"))
    ended = mutproof("prove", "model.lus", "--traces", "out", "--trace-format", "vcd", cwd=tmp_path)

    assert 40 == ended.code, ended.err
    assert "1 trace in out" in ended.err
    text = (tmp_path / "out" / "model.OK.vcd").read_text()
    assert text.startswith("$comment Counterexample of OK")
    assert "$var integer 32" in text


def test_mutants_that_are_killed_have_a_trace_and_gaps_have_two(tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(MODEL)
    wanted = ("--format", "json", "--equivalence", "--traces", "traces")
    ended = mutproof("mutate", "model.lus", *wanted, cwd=tmp_path)
    mutants = json.loads(ended.out)["files"]["model.lus"]["mutants"]
    killed = {f"model.{m['id']}.xml" for m in mutants if m["status"] == "Killed"}
    gaps = {
        f"model.{m['id']}.{side}.xml"
        for m in mutants
        if m["mutproof"].get("equivalence", {}).get("status") == "gap"
        for side in ("model", "mutant")
    }
    assert killed
    assert gaps
    assert killed | gaps == {path.name for path in (tmp_path / "traces").iterdir()}


def test_why_a_property_could_not_have_failed_is_said_once(tmp_path: Path) -> None:
    why = "the assertions contradict each other"
    model = tmp_path / "model.lus"
    model.write_text(CONTRADICTING, encoding="utf-8")
    ended = mutproof("prove", "--certify", tmp_path / "scripts", model)
    (line,) = (line for line in ended.out.splitlines() if line.startswith("PROVED"))
    assert 1 == line.count(why)
    assert line.endswith("could not have failed, no certificate")


def test_several_certificates_of_a_mutant_are_counted_in_its_line(tmp_path: Path) -> None:
    second = MODEL.replace("OK: bool)", "OK, low: bool)").replace(
        "  --%PROPERTY OK;\n", "  low = n >= 0;\n  --%PROPERTY OK;\n  --%PROPERTY low;\n"
    )
    (tmp_path / "model.lus").write_text(second)
    lines = certified(tmp_path, "mutate", "--all-mutants").out.splitlines()
    survivors = [line for line in lines if line.startswith("SURVIVED")]
    assert [line for line in survivors if line.endswith(", 2 certificates confirmed")]
    assert [line for line in lines if line.startswith("CERTIFICATE of OK: ") and ".smt2" in line]
    assert all(line.count(".smt2") < 2 for line in lines)
