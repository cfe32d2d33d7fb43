"""`mutproof.toml`: nearest wins, the command line beats it, and nothing in it is ignored."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import jsonschema
import pytest
from process import EXAMPLES, Ended, mutproof

from mutproof.cli import configuration
from mutproof.cli.commands import COMMANDS
from mutproof.runtime.configuration import ConfigurationSearch, read


@pytest.fixture(name="place")
def _place(tmp_path: Path) -> Path:
    """Return a folder with the same model at two places."""
    (tmp_path / "old" / "deep").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "old" / "deep"):
        shutil.copy(EXAMPLES / "demo2.lus", folder / "demo2.lus")
    return tmp_path


def settings(folder: Path, text: str, name: str = "mutproof.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def mutants(place: Path, *words: str, code: int = 2) -> dict[str, set[str]]:
    """Return the mutation operators that are used for each file."""
    ended = mutproof("mutate", *words, "--format", "json", cwd=place)
    assert (code, "") == (ended.code, ended.err)
    files = json.loads(ended.out)["files"]
    return {Path(name).as_posix(): {m["mutatorName"] for m in files[name]["mutants"]}
            for name in files}  # fmt: skip


def said(place: Path, *words: str) -> dict[str, tuple[object, str]]:
    """Return of each setting what `config` says of it: value and origin."""
    ended = mutproof("config", *words, cwd=place)
    assert (0, "") == (ended.code, ended.err)
    lines = [line.rpartition("  # ") for line in ended.out.splitlines()]
    found = {}
    for text, _, origin in lines:
        key = text.removeprefix("# ").split()[0]
        value = None if text.startswith("# ") else tomllib.loads(text)[key]
        found[key] = (value, origin)
    return found


def refused(place: Path, *words: str) -> Ended:
    ended = mutproof("mutate", "demo2.lus", *words, cwd=place)
    assert (1, "") == (ended.code, ended.out)
    assert "error[configuration]" in ended.err
    return ended


def test_options_are_keys(place: Path) -> None:
    settings(place, 'operators = ["g2ge", "g2l"]\n')

    assert {"demo2.lus": {"g2ge", "g2l"}} == mutants(place, "demo2.lus")


def test_what_a_file_says_is_undone_on_the_command_line(place: Path) -> None:
    settings(place, 'operators = "g2ge"\nno-cache = true\nequivalence = true\nbaseline = "b"\n')
    words = ("mutate", "demo2.lus", "--format", "json", "--fail-on", "never", "--no-baseline")

    file = json.loads(mutproof(*words, cwd=place).out)["files"]["demo2.lus"]
    assert {"g2ge"} == {mutant["mutatorName"] for mutant in file["mutants"]}
    assert all("equivalence" in mutant["mutproof"] for mutant in file["mutants"])
    words += ("--no-equivalence", "--no-operators", "--cache", "--resume")
    ended = mutproof(*words, cwd=place, MUTPROOF_CACHE_DIR=str(place / "kept"))
    file = json.loads(ended.out)["files"]["demo2.lus"]
    assert 14 == len(file["mutants"])
    assert not any("equivalence" in mutant["mutproof"] for mutant in file["mutants"])
    assert "of 14 mutants recalled" in ended.err


@pytest.mark.parametrize("command", [one.name for one in COMMANDS if configuration.keys(one)])
def test_every_option_that_is_on_or_off_can_be_undone(place: Path, command: str) -> None:
    flags = {
        key: action
        for key, action in configuration.keys(COMMANDS[command]).items()
        if action.nargs == 0
    }
    assert flags
    for key, action in flags.items():
        settings(place, f"[{command}]\n{key} = true\n")
        path = str(place / "mutproof.toml")
        undoing = f"--{key.removeprefix('no-')}" if key.startswith("no-") else f"--no-{key}"
        for words, value in (((), action.const), ((undoing,), action.default)):
            chosen = configuration.Chosen(
                COMMANDS[command], [*words, "--", "."], used=True, path=path
            )
            said = [layer.values.get(action.dest) for layer in chosen.of_run([str(place)])]
            assert value == [one for one in said if one is not None][-1]


def test_a_file_counts_for_a_command_that_requires_an_option(place: Path) -> None:
    settings(place, 'operators = "g2ge"\n')
    asked = ("report", "demo2.lus", "--evidence", "evidence", "--unconfirmed", "--fail-on", "never")
    ended = mutproof(*asked, cwd=place)

    assert 0 == ended.code
    (file,) = json.loads((place / "evidence" / "evidence.json").read_text())["files"]
    assert 1 == sum(file["mutants"].values())


def test_the_nearest_file_wins_and_nothing_is_merged(place: Path) -> None:
    settings(place, 'operators = "g2ge"\nproperty = "Prop1"\n')
    settings(place / "old", 'operators = "or2xor"\n')

    assert {"demo2.lus": {"g2ge"}, "old/deep/demo2.lus": {"or2xor"}} == mutants(
        place, "demo2.lus", "old"
    )
    assert ([], "default") == said(place, "old/deep/demo2.lus")["property"]
    assert (["Prop1"], "mutproof.toml") == said(place, "demo2.lus")["property"]


def test_a_shared_file_counts_only_with_a_table_and_without_an_own_one(place: Path) -> None:
    settings(place, 'operators = "g2ge"\n')
    settings(place / "old", "[tool.other]\nx = 1\n", "pyproject.toml")
    settings(place / "old" / "deep", "[tool.mutproof]\noperators = 'or2xor'\n", "pyproject.toml")

    assert {"old/deep/demo2.lus": {"or2xor"}} == mutants(place, "old")
    settings(place / "old" / "deep", 'operators = "g2l"\n')
    assert {"old/deep/demo2.lus": {"g2l"}} == mutants(place, "old")
    (place / "old" / "deep" / "mutproof.toml").unlink()
    (place / "old" / "deep" / "pyproject.toml").unlink()
    assert {"old/deep/demo2.lus": {"g2ge"}} == mutants(place, "old")


def test_the_command_line_beats_the_file(place: Path) -> None:
    settings(place, 'operators = ["g2ge"]\nproperty = ["Nothing"]\nthreshold = 99\n')

    assert {"demo2.lus": {"g2l"}} == mutants(
        place, "demo2.lus", "--operators", "g2l", "--property", "Prop1", "--threshold", "0", code=0
    )


def test_sections_are_for_files_that_match(place: Path) -> None:
    settings(
        place,
        """
operators = ["g2ge"]
equivalence = true
[[files]]
path = "old/**"
operators = ["g2l"]
[[files]]
path = ["*/deep/*.lus", "nothing.smv"]
operators = ["or2xor"]
equivalence = false
""",
    )

    assert {"demo2.lus": {"g2ge"}, "old/deep/demo2.lus": {"or2xor"}} == mutants(place, ".")
    inner = said(place, "old/deep/demo2.lus")
    assert (["or2xor"], "mutproof.toml [[files]] */deep/*.lus, nothing.smv") == inner["operators"]
    assert inner["equivalence"][0] is False
    assert said(place, "demo2.lus")["equivalence"] == (True, "mutproof.toml")


def test_a_command_may_have_a_table_of_its_own(place: Path) -> None:
    settings(place, 'rlimit = 7\n[mutate]\nfail-on = "never"\n[prove]\nfail-on = ["falsified"]\n')

    assert {"fail-on": (["never"], "mutproof.toml [mutate]")}.items() <= said(place).items()
    found = said(place, "demo2.lus", "--command", "prove")
    assert (["falsified"], "mutproof.toml [prove]") == found["fail-on"]
    assert (7, "mutproof.toml") == found["rlimit"]


def test_what_concerns_the_run_is_read_near_the_folder_of_all_files(place: Path) -> None:
    settings(place, 'fail-on = "never"\n')
    settings(place / "old", 'threshold = 99\noperators = "g2ge"\n')

    assert 0 == mutproof("mutate", "demo2.lus", "old", cwd=place).code
    assert 5 == mutproof("mutate", "old/deep/demo2.lus", cwd=place).code


def test_a_file_of_settings_can_be_named_or_left_alone(place: Path) -> None:
    settings(place, 'operators = "g2ge"\n')
    settings(place, 'operators = "g2l"\n', "other.toml")

    assert {"demo2.lus": {"g2l"}} == mutants(place, "demo2.lus", "--config", "other.toml")
    assert len(mutants(place, "demo2.lus", "--no-config")["demo2.lus"]) > 1
    refused(place, "--config", "none.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("levle = 'paper'", ["toml:1: no key is called 'levle'", "did you mean `level`?"]),
        ("[mutaet]\nlevel = 'paper'", ["toml:1: ", "did you mean `mutate`?"]),
        ("[prove]\nthreshold = 3", ["toml:2: mutproof prove has no key threshold", "[mutate]"]),
        ("[prove]\nrlimt = 3", ["toml:2: no key is called 'rlimt'", "did you mean `rlimit`?"]),
        ("[[files]]\npath = 'x'\nlevl = 'paper'", ["toml:3: ", "did you mean `level`?"]),
        ("[[files]]\npath = 'x'\nthreshold = 3", ["toml:3: threshold concerns the whole run"]),
        ("[[files]]\nlevel = 'paper'", ["toml:1: ", "needs path"]),
        ("[[files]]\npath = 3", ["toml:2: ", "needs path"]),
        ("files = 3", ["toml:1: ", "[[files]]"]),
        ("[files]\npath = 'x'", ["toml:1: ", "write [[files]]"]),
        ("prove = 3", ["prove is a table: write [prove]"]),
        ("jobs = 3", ["jobs belongs on the command line"]),
        ("output = 'x'", ["output belongs on the command line"]),
        ("no-equivalence = true", ["only for the command line", "leave out equivalence"]),
        ("level = 'papr'", ['level: "papr" is none of', "help: did you mean `paper`?\n"]),
        ("level = paper", ["is not TOML, where text stands in quotes"]),
        ("level = ['paper']", ['level is text, not ["paper"]']),
        ("level = true", ["level is text, not true"]),
        ("level = {a = 1}", ["level is text, not a table"]),
        ("equivalence = 'yes'", ['equivalence is true or false, not "yes"']),
        ("equivalence = 'true'", ["help: write it without quotes"]),
        ("threshold = 101", ["threshold: not a number from 0 to 100"]),
        ("threshold = '80'", ['threshold is a number, not "80"', "without quotes"]),
        ("\n# x\ntimeout = -1", ["toml:3: timeout: not a positive number", "seconds for one"]),
        ("rlimit = 1.5", ["rlimit is a whole number, not 1.5"]),
        ("timeout = 2026-01-01", ["timeout is a number, not 2026-01-01"]),
        ("property = 3", ["property is text, or a list of text, not 3", "in quotes"]),
        ("granularity = 'elemnt'", ["granularity: ", "did you mean `element`?"]),
        ("[core]\nall = true\nlimit = -2", ["toml:3: limit: not a whole number"]),
        ("[[files]]\npath = 'no'\n[[files]]\npath = 'x'\nrlimit = ''", ["toml:5: rlimit is"]),
        ("level = ", ["is not TOML", "at end of document"]),
        ("operators = ['g2gee']", ["no operator is called 'g2gee'", "did you mean `g2ge`?"]),
        ("operators = [\n  'g2ge',\n]\nstrategy = 'x'", ["toml:4: strategy: no strategy"]),
        (
            "fail-on = 'falsified'",
            ["toml:1: fail-on of mutproof mutate", "it can stand in [prove]"],
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(place: Path, text: str, words: list[str]) -> None:
    settings(place, text)
    ended = mutproof("mutate", "demo2.lus", cwd=place)

    assert (1, "") == (ended.code, ended.out)
    for word in words:
        assert word in ended.err
    assert "error[configuration]: mutproof.toml" in ended.err


def test_options_that_exclude_each_other_are_named_at_their_line(place: Path) -> None:
    settings(place, "all = true\nminimum = true\n")
    ended = mutproof("core", "demo2.lus", cwd=place)

    assert (1, "") == (ended.code, ended.out)
    assert "mutproof.toml:2: minimum and all exclude each other" in ended.err


def test_lines_are_those_of_the_table_in_a_shared_file(place: Path) -> None:
    text = '[tool.other]\nlevel = 1\n\n[tool.mutproof.mutate]\nlevel = """\npaper"""\nrlimit = -1\n'
    settings(place, text, "pyproject.toml")

    assert "pyproject.toml:7: rlimit: " in refused(place).err
    settings(place, text.replace("\npaper", "paper"), "pyproject.toml")
    assert "pyproject.toml:6: rlimit: " in refused(place).err


def test_a_date_is_written_as_toml_or_as_text(place: Path) -> None:
    for text in ("2026-11-25", '"2026-11-25"'):
        settings(place, f"date = {text}\n")
        assert ("2026-11-25", "mutproof.toml") == said(place, "--command", "report")["date"]


def test_every_command_reads_settings_that_are_its_own(place: Path) -> None:
    settings(place, "rlimit = 400000\ntimeout = 3.5\ninvariants = false\ngranularity = 'element'\n")

    for command in ("prove", "core", "mutate", "equivalent", "suggest", "advise"):
        ended = mutproof(command, "demo2.lus", cwd=place)
        assert "error" not in ended.err, command
        assert (3.5, "mutproof.toml") == said(place, "--command", command)["timeout"]


def test_what_a_report_always_does_is_said(place: Path) -> None:
    settings(place, "level = 'paper'\n")

    found = said(place, "--command", "report")
    assert ("paper", "mutproof.toml") == found["level"]
    assert (True, True) == (found["equivalence"][0], found["no-timings"][0])


def test_what_a_command_makes_of_its_arguments_counts_for_each_file(place: Path) -> None:
    settings(place, "[[files]]\npath = '*.lus'\nrlimit = 500000\n")
    found = [mutproof("advise", "demo2.lus", *words, "--no-timings", cwd=place).out
             for words in ((), ("--no-config",))]  # fmt: skip

    assert found[0] == found[1] != ""


def test_what_is_printed_can_be_read_back(place: Path) -> None:
    before = said(place, "demo2.lus")
    settings(place, "".join(
        line.partition("  #")[0].rstrip() + "\n"
        for line in mutproof("config", "demo2.lus", cwd=place).out.splitlines()
    ))  # fmt: skip
    after = said(place, "demo2.lus")

    assert {key: value for key, (value, _) in before.items()} == {
        key: value for key, (value, _) in after.items()
    }
    assert {"default", "mutproof.toml"} >= {origin for _, origin in after.values()}


def test_no_key_stands_for_two_things() -> None:
    kinds: dict[str, set[int | None]] = {}
    for command in COMMANDS:
        for key, action in configuration.keys(command).items():
            kinds.setdefault(key, set()).add(0 if action.nargs == 0 else None)
    assert {} == {key: found for key, found in kinds.items() if len(found) > 1}
    assert set(kinds) == set(configuration.known())


def test_each_folder_is_looked_at_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(place, 'level = "paper"\n')
    search = ConfigurationSearch()
    first = search.nearest(str(place / "old" / "deep"))
    assert first is not None
    assert first.path == str(place / "mutproof.toml")
    (place / "mutproof.toml").unlink()
    assert search.nearest(str(place / "old")) is first
    assert search.nearest(str(place)) is first


def test_a_named_shared_file_needs_a_table(place: Path) -> None:
    settings(place, "[tool.other]\nx = 1\n", "pyproject.toml")

    assert read(str(place / "pyproject.toml")) is None
    assert "no table [tool.mutproof]" in refused(place, "--config", "pyproject.toml").err


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ('level = "all"\n[mutate]\nfail-on = ["new"]\n', True),
        ('rlimit = 7\n[[files]]\npath = "a/*.lus"\noperators = ["g2ge"]\n', True),
        ("equivalence = true\n", True),
        ("equivalence = 1\n", False),
        ("levle = 1\n", False),
        ('level = "some"\n', False),
        ("jobs = 2\n", False),
        ('[[files]]\nlevel = "all"\n', False),
        ("threshold = 80.5\ntimeout = 3\norder = 2\n", True),
        ('threshold = "80"\n', False),
        ("rlimit = 1.5\n", False),
        ("property = 3\n", False),
        ("order = 3\n", False),
        ('baseline = ""\n', False),
        ("operators = []\n", True),
    ],
)
def test_the_schema_takes_what_the_command_takes(place: Path, text: str, sound: bool) -> None:
    schema = json.loads(mutproof("config", "--schema", cwd=place).out)
    settings(place, text)
    checker = jsonschema.Draft7Validator(schema)
    checker.check_schema(schema)
    assert sound == checker.is_valid(tomllib.loads(text))
    assert (0 if sound else 1) == mutproof("config", "demo2.lus", cwd=place).code


def test_the_schema_has_every_key(place: Path) -> None:
    schema = json.loads(mutproof("config", "--schema", cwd=place).out)
    assert set() == set(configuration.known()) - schema["properties"].keys()
