"""`mutproof fret import`: requirements become properties, and are proved like any others."""

from __future__ import annotations

import json
from pathlib import Path

from process import EXAMPLES, mutproof

PUMP = """\
node pump(low, high: bool) returns (run: bool; OK: bool);
let
  run = false -> if low then true else if high then false else pre run;
  OK = low => run or not run;
  --%PROPERTY OK;
tel;
"""


def requirement(name: str, lustre: str = "", past: str = "") -> dict[str, object]:
    """Return a requirement with the keys that FRET gives it, and the formulas."""
    semantics = {"component_name": "pump", "CoCoSpecCode": lustre, "ptExpanded": past}
    return {"reqid": name, "fulltext": f"the pump shall\n{name}", "semantics": semantics}


def imported(tmp_path: Path, model: str, *requirements: dict[str, object]) -> tuple[int, str, str]:
    (tmp_path / "all.json").write_text(json.dumps(requirements))
    ended = mutproof("fret", "import", tmp_path / "all.json", tmp_path / model)
    return ended.code, ended.out, ended.err


def verdicts(path: Path) -> dict[str, str]:
    found = json.loads(mutproof("prove", path, "--format", "json", "--no-timings").out)
    return {one["name"]: one["verdict"] for one in found["properties"]}


def test_formulas_in_lustre_are_proved_or_not(tmp_path: Path) -> None:
    (tmp_path / "pump.lus").write_text(PUMP)
    made = imported(
        tmp_path,
        "pump.lus",
        requirement("PUMP-1", "H((YtoPre(run) and not low and not high => run))"),
        requirement("PUMP-2", "(H((O(low) or not run)))"),
        requirement("PUMP-3", "H(low) => S(low, high)"),
    )
    (tmp_path / "stated.lus").write_text(made[1])

    assert (0, "") == (made[0], made[2])
    assert "-- the pump shall PUMP-1\n" in made[1]
    assert "H(YtoPre" not in made[1]
    assert {
        "OK": "proved",
        "PUMP_1": "proved",
        "PUMP_2": "proved",
        "PUMP_3": "falsified",
    } == verdicts(tmp_path / "stated.lus")


def test_formulas_of_the_past_are_stated_of_nusmv_models(tmp_path: Path) -> None:
    (tmp_path / "m.smv").write_text(
        "MODULE main\nVAR a : boolean; b : boolean;\n"
        "ASSIGN init(b) := FALSE; next(b) := a;\nINVARSPEC a | !a\n"
    )
    code, out, err = imported(
        tmp_path,
        "m.smv",
        requirement("R1", past="H (b -> Y a)"),
        requirement("R2", past="H (b -> O !a)"),
    )
    (tmp_path / "stated.smv").write_text(out)

    assert (0, "") == (code, err)
    found = verdicts(tmp_path / "stated.smv")
    assert ("proved", "falsified") == (found["R1"], found["R2"])


def test_what_the_model_cannot_say_is_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "pump.lus").write_text(PUMP)
    code, out, err = imported(
        tmp_path,
        "pump.lus",
        requirement("unknown", "H(pressure > 3)"),
        requirement("nothing"),
        requirement("run", "low => run"),
        requirement("two", "low; OK2 = run"),
        requirement("good", "high and not low => not run"),
    )

    assert 3 == code
    assert ["unknown", "nothing", "run", "two"] == [
        line.partition(": ")[2].partition(" ")[0] for line in err.splitlines()
    ]
    assert 1 == out.count("--%PROPERTY good;")
    assert 2 == out.count("--%PROPERTY")


def test_lines_end_as_those_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "pump.lus").write_bytes(PUMP.replace("\n", "\r\n").encode())
    (tmp_path / "all.json").write_text(json.dumps([requirement("good", "H(O(low) or not run)")]))
    stated = tmp_path / "stated.lus"
    ended = mutproof("fret", "import", tmp_path / "all.json", tmp_path / "pump.lus", "-o", stated)

    assert (0, "") == (ended.code, ended.err)
    assert stated.read_bytes().count(b"\n") == stated.read_bytes().count(b"\r\n")


def test_what_is_written_in_another_language_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "m.smv").write_text("MODULE main\nVAR low : boolean;\nINVARSPEC NAME p := low\n")
    own = {"component": "main", "text": "not low and not low", "logic": "invariant"}
    lustre, other = requirement("lustre"), requirement("other")
    made = imported(tmp_path, "m.smv", {**lustre, "mutproof": own},
                    {**other, "mutproof": {**own, "text": "!lwo"}},
                    {**requirement("mine"), "mutproof": {**own, "text": "low | !low"}})  # fmt: skip

    assert 3 == made[0]
    assert "lustre is left out: syntax error at 'low'\n" in made[2]
    assert "other is left out: " in made[2]
    assert made[1].endswith("INVARSPEC NAME mine := low | !low;\n")
    assert "lustre" not in made[1]


def test_what_is_no_list_of_requirements_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pump.lus").write_text(PUMP)
    for content in ("no json", "{}", "[1]", '[{"fulltext": "x"}]'):
        (tmp_path / "bad.json").write_text(content)
        ended = mutproof("fret", "import", tmp_path / "bad.json", tmp_path / "pump.lus")
        assert "error[not-requirements]" in ended.err


def check_round_trip(path: Path, tmp_path: Path) -> None:
    """Check that what is suggested, exported and imported again is proved by its id."""
    exported = mutproof("suggest", path, "--best", "--format", "fret").out
    (tmp_path / "suggested.json").write_text(exported)
    stated = tmp_path / f"stated{path.suffix}"
    made = mutproof("fret", "import", tmp_path / "suggested.json", path, "-o", stated)

    assert (0, "") == (made.code, made.err)
    wanted = {one["reqid"] for one in json.loads(exported)}
    found = verdicts(stated)
    assert wanted
    assert {"proved"} == {found[name] for name in wanted}


def test_suggestions_come_back_with_their_names(tmp_path: Path) -> None:
    check_round_trip(EXAMPLES / "demo2.lus", tmp_path)
    check_round_trip(EXAMPLES / "traffic_light.smv", tmp_path)
