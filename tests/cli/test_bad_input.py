"""Whatever a file holds: one clear diagnostic, the documented exit code, no traceback."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import pytest
from process import EXAMPLES, mutproof

BROKEN = "node n (a : int) returns (p : bool);\nlet\n  p = (a > );\n  --%PROPERTY p;\ntel;\n"
RECURSIVE = """\
node n (a : bool) returns (p : bool);
let
  p = n(a);
  --%PROPERTY p;
tel;
"""
NO_PROPERTY = "node n (a : bool) returns (b : bool);\nlet\n  b = not a;\ntel;\n"
NO_MAIN = "const c : int = 3;\n"
DEEP = (
    "node n (a : bool) returns (p : bool);\nlet\n  p = "
    + "(" * 50_000
    + "a"
    + ")" * 50_000
    + ";\n  --%PROPERTY p;\ntel;\n"
)
UNREADABLE = """
import os
listed = os.scandir
def refused(path):
    if str(path).endswith("closed"):
        raise PermissionError(13, "Permission denied", str(path))
    return listed(path)
os.scandir = refused
"""


def noise(size: int) -> bytes:
    return random.Random(7).randbytes(size)


def printable_noise(size: int) -> bytes:
    signs = bytes(range(32, 127)) + b"\n"
    return bytes(random.Random(8).choices(signs, k=size))


BAD = {
    "not-utf8.lus": (b"node n\xff\xfe;", "not-utf-8"),
    "latin1.smv": (b"-- na\xefve\nMODULE main VAR \xe9 : boolean;\n", "not-utf-8"),
    "noise.lus": (noise(10_000_000), "not-utf-8"),
    "printable.lus": (printable_noise(10_000_000), "file-too-big"),
    "zero.lus": (b"\0" * 100, "not-a-text"),
    "empty.lus": (b"", "no-main"),
    "blank.lus": (b"\n\n -- nothing\n", "no-main"),
    "deep.lus": (DEEP.encode(), "nesting-too-deep"),
    "recursive.lus": (RECURSIVE.encode(), "recursive-node"),
    "no-property.lus": (NO_PROPERTY.encode(), "no-property"),
    "no-main.lus": (NO_MAIN.encode(), "no-main"),
    "broken.lus": (BROKEN.encode(), "syntax"),
    "readme.txt": (b"hello", "unknown-language"),
}


@pytest.mark.parametrize("command", ["prove", "mutate"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_ends_with_its_diagnostic(tmp_path: Path, name: str, command: str) -> None:
    content, code = BAD[name]
    (tmp_path / name).write_bytes(content)
    ended = mutproof(command, name, cwd=tmp_path)

    assert ended.code == 1
    assert ended.out == ""
    errors = re.findall(rf"^{re.escape(name)}(?::\d+:\d+)?: error\[([a-z0-9-]+)\]", ended.err, re.M)
    assert code in errors
    assert len(errors) == 1
    assert "\n  = help: " in ended.err


@pytest.mark.parametrize("name", ["absent.lus", "folder/absent.lus"])
def test_a_missing_file_is_reported(tmp_path: Path, name: str) -> None:
    ended = mutproof("prove", name, cwd=tmp_path)

    assert ended.code == 1
    assert ended.err.startswith(f"{name}: error[file-not-found]: ")


@pytest.mark.parametrize(
    "words",
    [
        ("fret", "import", "absent.json", str(EXAMPLES / "demo2.lus")),
        ("tests", "run", "absent.json", "--against", str(EXAMPLES / "demo2.lus")),
        ("tests", "export", "absent.json", "--as", "csv", "-o", "forms"),
    ],
)
def test_a_missing_file_that_is_no_model_is_reported_alike(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    ended = mutproof(*words, cwd=tmp_path)

    assert ended.code == 1
    assert ended.err.startswith("error[file-not-found]: no such file: absent.json\n")


def test_a_folder_without_models_is_reported(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    ended = mutproof("mutate", "models", cwd=tmp_path)

    assert ended.code == 1
    assert ended.err.startswith("models: error[no-models]: ")


@pytest.mark.parametrize("name", ["models", "models/closed"])
def test_a_folder_that_cannot_be_read_is_reported(tmp_path: Path, name: str) -> None:
    (tmp_path / "models" / "closed").mkdir(parents=True)
    (tmp_path / "models" / "demo2.lus").write_bytes((EXAMPLES / "demo2.lus").read_bytes())
    ended = mutproof("prove", name, "--no-core", cwd=tmp_path, before=UNREADABLE)

    assert ended.code == 1
    assert "models/closed: error[file-unreadable]: cannot read this folder: " in ended.err
    assert "no-models" not in ended.err
    assert ("PROVED Prop1" in ended.out) == (name == "models")


def test_a_text_in_utf_16_is_to_be_converted_from_it(tmp_path: Path) -> None:
    (tmp_path / "wide.lus").write_text(BROKEN, encoding="utf-16")

    assert "`iconv -f UTF-16 -t UTF-8`" in mutproof("prove", "wide.lus", cwd=tmp_path).err


@pytest.mark.parametrize("words", [("prove", "demo2.lus"), ("prove", "."), ("mutate", ".")])
def test_a_report_replaces_no_model_of_its_run(tmp_path: Path, words: tuple[str, str]) -> None:
    model = (EXAMPLES / "demo2.lus").read_bytes()
    (tmp_path / "demo2.lus").write_bytes(model)
    ended = mutproof(*words, "-o", tmp_path / "demo2.lus", cwd=tmp_path)

    assert ended.code == 1
    assert "cannot write" in ended.err
    assert "this run reads it" in ended.err
    assert (tmp_path / "demo2.lus").read_bytes() == model


@pytest.mark.parametrize(
    "words",
    [
        ("prove", "--output", "."),
        ("mutate", "--output", "absent/report"),
        ("prove", "--traces", "file/traces"),
        ("mutate", "--update-baseline", "--baseline", "absent/gaps.json"),
        ("tests", "-o", "file"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_decided(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    ended = mutproof(words[0], EXAMPLES / "demo2.lus", *words[1:], cwd=tmp_path)

    assert ended.code == 1
    assert ended.out == ""
    assert ended.err.startswith("error[output-unwritable]: cannot write ")


@pytest.mark.parametrize(
    ("command", "option", "noun"),
    [
        ("prove", "--output", "file"),
        ("prove", "--config", "file"),
        ("mutate", "--baseline", "file"),
        ("mutate", "--in-diff", "file"),
        ("mutate", "--traces", "folder"),
        ("report", "--evidence", "folder"),
    ],
)
def test_an_empty_name_of_a_file_or_folder_is_wrong_usage(
    tmp_path: Path, command: str, option: str, noun: str
) -> None:
    ended = mutproof(command, EXAMPLES / "demo2.lus", option, "", cwd=tmp_path)

    assert (1, "") == (ended.code, ended.out)
    assert ended.err.startswith("error[usage]: argument ")
    assert f"{option}: the name of a {noun} is empty\n" in ended.err
    assert [] == list(tmp_path.iterdir())


def test_a_diagnostic_shows_the_line_and_a_caret(tmp_path: Path) -> None:
    (tmp_path / "broken.lus").write_text(BROKEN)
    ended = mutproof("prove", "broken.lus", cwd=tmp_path)

    lines = ended.err.splitlines()
    assert lines[0].startswith("broken.lus:3:12: error[syntax]: ")
    assert lines[1:4] == ["  |", "3 |   p = (a > );", "  |            ^"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("model.smv", b"/-- \xe9\n\x85 --/ MODULE main VAR x : boolean; -- \xfc\nINVARSPEC y\n"),
        (
            "model.lus",
            b"(* \xe9\n\x85 *) node m(x : bool) returns (); -- \xfc\nlet assert y; tel\n",
        ),
    ],
)
def test_comments_may_hold_any_bytes_and_places_stay(
    tmp_path: Path, name: str, text: bytes
) -> None:
    (tmp_path / name).write_bytes(text)
    ended = mutproof("prove", name, cwd=tmp_path)

    column = text.splitlines()[2].index(b"y") + 1
    assert f"{name}:3:{column}: error[undefined" in ended.err


def test_many_warnings_are_counted_not_listed(tmp_path: Path) -> None:
    equations = "".join(f"  x{n} = pre x{n};\n" for n in range(9))
    names = ", ".join(f"x{n}" for n in range(9))
    model = (
        f"node n () returns (p : bool);\nvar {names} : bool;\nlet\n{equations}  p = x0 or not x0;\n"
    )
    (tmp_path / "warned.lus").write_text(model + "  --%PROPERTY p;\ntel;\n")
    ended = mutproof("prove", "warned.lus", cwd=tmp_path)

    assert ended.code == 0
    assert len(re.findall("warning\\[unguarded-pre\\]", ended.err)) == 5
    assert "warned.lus: … and 4 more warnings" in ended.err
    assert mutproof("prove", "warned.lus", "--quiet", cwd=tmp_path).err == ""
    fewer = model.replace("pre x6", "x7").replace("pre x7", "x8").replace("pre x8", "x0")
    (tmp_path / "warned.lus").write_text(fewer + "  --%PROPERTY p;\ntel;\n")
    ended = mutproof("prove", "warned.lus", cwd=tmp_path)
    assert "warned.lus: … and 1 more warning\n" in ended.err


def test_a_bad_file_does_not_keep_the_others_from_being_proved(tmp_path: Path) -> None:
    (tmp_path / "broken.lus").write_text(BROKEN)
    ended = mutproof("prove", "broken.lus", EXAMPLES / "demo.lus", cwd=tmp_path)

    assert ended.code == 1
    assert "PROVED Prop1" in ended.out


MUTE = "node twice (x : int) returns (y : int);\nlet\n  y = 2 * x;\ntel;\n"


def test_a_model_without_properties_is_left_out_beside_others(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "twice.lus").write_text(MUTE)
    shutil.copy(EXAMPLES / "demo.lus", folder)
    ended = mutproof("prove", "models", cwd=tmp_path)
    assert ended.code == 0
    assert ended.err == "1 model without properties is left out: models/twice.lus\n"
    assert mutproof("prove", "models", "--quiet", cwd=tmp_path).err == ended.err
    written = json.loads(mutproof("prove", "models", "--format", "json", cwd=tmp_path).out)
    assert {"demo.lus", "twice.lus"} == {Path(found["file"]).name for found in written}


@pytest.mark.parametrize("named", [("models",), ("models", "models/twice.lus", "demo.lus")])
def test_a_model_without_properties_is_an_error_where_it_is_asked_for(
    tmp_path: Path, named: tuple[str, ...]
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "twice.lus").write_text(MUTE)
    shutil.copy(EXAMPLES / "demo.lus", tmp_path)
    ended = mutproof("prove", *named, cwd=tmp_path)
    assert ended.code == 1
    assert "error[no-property]" in ended.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "usage"),
        (("prove",), "usage"),
        (("prove", "--jobs", "0", "x.lus"), "usage"),
        (("prove", "--timeout", "nan", "x.lus"), "usage"),
        (("prove", "--timeout", "1e400", str(EXAMPLES / "demo.lus")), "usage"),
        (("prove", "--timeout", "-1", "x.lus"), "usage"),
        (("prove", "--file-timeout", "inf", "x.lus"), "usage"),
        (("prove", "--rlimit", "9" * 30, "x.lus"), "usage"),
        (("prove", "--rlimit", "²", "x.lus"), "usage"),
        (("mutate", "--level", "some", "x.lus"), "usage"),
        (("frobnicate",), "usage"),
        (("mutate", "--operators", "g2gee", str(EXAMPLES / "demo2.lus")), "unknown-operator"),
        (("prove", "--property", "Prop9", str(EXAMPLES / "demo2.lus")), "unknown-property"),
        (("explain", "g2gee"), "unknown-topic"),
        (("prove", ""), "usage"),
        (("config", "absent.lus"), "file-not-found"),
        (
            ("fret", "import", str(EXAMPLES / "demo2.lus"), str(EXAMPLES / "demo2.lus")),
            "not-requirements",
        ),
        (
            ("prove", "--output", "/nonexistent/report", str(EXAMPLES / "demo.lus")),
            "output-unwritable",
        ),
    ],
)
def test_wrong_usage_ends_with_one_error(arguments: tuple[str, ...], code: str) -> None:
    ended = mutproof(*arguments)

    assert ended.code == 1
    assert ended.out == ""
    assert ended.err.startswith(f"error[{code}]: ")
    assert "\n  = help: " in ended.err


def test_standard_input_is_no_model() -> None:
    assert "help: models are read from files" in mutproof("prove", "-").err


@pytest.mark.parametrize("word", ["k", "shortest", "alone"])
def test_words_of_reports_are_explained(word: str) -> None:
    assert 0 == mutproof("explain", word).code


def test_without_a_topic_all_are_listed() -> None:
    ended = mutproof("explain")
    assert ended.code == 0
    assert "explain TOPIC" in ended.out.splitlines()[0]
    assert "\nmutation operator:\nor2xor, " in ended.out


@pytest.mark.parametrize(
    ("arguments", "guess"),
    [
        (("mutate", "--propertie", "ok", "x.lus"), "--property"),
        (("mutate", "--operaters=g2ge", "x.lus"), "--operators"),
        (("mutate", "--operators", "g2gee", str(EXAMPLES / "demo2.lus")), "g2ge"),
        (("prove", "--property", "prop1", str(EXAMPLES / "demo2.lus")), "Prop1"),
        (("explain", "Survivd"), "survived"),
        (("mutat", "x.lus"), "mutate"),
        (("mutate", "x.lus", "--level", "papr"), "paper"),
        (("prove", "x.lus", "--format=jsn"), "json"),
    ],
)
def test_a_misspelt_name_is_answered_with_a_guess(arguments: tuple[str, ...], guess: str) -> None:
    ended = mutproof(*arguments)

    assert ended.code == 1
    assert f"\n  = help: did you mean `{guess}`" in ended.err


VACUOUS = (
    "node n (x : int) returns (p : bool);\nvar y : int;\nlet\n  assert x > 5;\n  assert x < 3;\n"
    "  y = x + 1;\n  p = y = 77;\n  --%PROPERTY p;\ntel;\n"
)


def test_a_model_whose_properties_could_not_fail_has_nothing_to_measure(tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(VACUOUS)
    shown = mutproof("mutate", "model.lus", "--no-cache", cwd=tmp_path)
    written = mutproof("mutate", "model.lus", "--no-cache", "--format", "csv", cwd=tmp_path)

    why = "what is proved could not fail, so it kills no mutant: no state satisfies all constraints"
    assert 3 == shown.code == written.code
    assert f"nothing to measure: {why}" in shown.out
    assert "takes no part" in shown.out
    assert "0.0 %" not in shown.out
    assert written.out.count(why) == 6
    assert "not analysed" not in written.out


UNPROVED = "node n (x : int) returns (p : bool);\nlet\n  p = x > 3;\n  --%PROPERTY p;\ntel;\n"


def test_a_model_without_a_proved_property_has_nothing_to_measure(tmp_path: Path) -> None:
    model = UNPROVED.replace("p : bool);", "p : bool);\nvar y : int;").replace(
        "  p = x", "  y = x + 1;\n  p = y"
    )
    (tmp_path / "model.lus").write_text(model)
    ended = mutproof("mutate", "model.lus", "--no-timings", "--no-cache", cwd=tmp_path)

    assert ended.code == 4
    expected = (
        "nothing to measure: no property is proved on the unmutated model, so none can kill a"
        " mutant (3 mutants not decided)"
    )
    assert expected in ended.out.splitlines()
    compared = mutproof("equivalent", "model.lus", "--no-timings", "--no-cache", cwd=tmp_path)
    assert (4, f"model.lus\n\n{expected}\n") == (compared.code, compared.out)
    assert "score" not in ended.out
    assert "0.0 %" not in ended.out
    assert "UNKNOWN" not in ended.out
    for form in ("concise", "github", "gitlab", "sarif", "junit"):
        written = mutproof("mutate", "model.lus", "--no-cache", "--format", form, cwd=tmp_path)
        assert written.code == 4
        assert "0.0 %" not in written.out
        assert 0 < written.out.count("nothing to measure: no property") <= 2
        assert "is unknown" not in written.out


@pytest.mark.parametrize(
    "command", ["prove", "core", "mutate", "equivalent", "suggest", "tests", "advise", "control"]
)
def test_of_a_file_with_errors_these_are_all_that_is_said(command: str, tmp_path: Path) -> None:
    (tmp_path / "model.smv").write_text("MODULE main\nVAR x : boolean\nINVARSPEC x;\n")
    ended = mutproof(command, "model.smv", cwd=tmp_path)
    assert (1, "") == (ended.code, ended.out)
    assert "model.smv:2:15: error[syntax-error]: something is missing behind this" in ended.err
    assert ended.err.endswith("\n  = help: expected `;`\n")


def test_syntax_errors_of_nusmv_say_what_was_meant_at_its_place(tmp_path: Path) -> None:
    (tmp_path / "model.smv").write_text(
        "MODULE main\nVAR\n  a : boolean\n  b : boolean;\nASSIGN\n  next(a) = (a = b);\n"
        "  next(b) := if a then b else a;\nINVARSPEC AG a\n"
    )
    said = mutproof("prove", "model.smv", "--format", "concise", cwd=tmp_path).out.splitlines()
    assert said[0].startswith(
        "model.smv:3:13: error: something is missing behind this; expected `;`"
    )
    assert said[1].startswith("model.smv:6:11: error: syntax error at '='; expected `:=`")
    assert said[2].startswith(
        "model.smv:7:17: error: syntax error at 'a'; NuSMV has no `if`: write"
    )
    assert said[3].startswith("model.smv:8:11: error: unexpected CTL operator in an INVARSPEC; ")


@pytest.mark.parametrize("command", ["prove", "advise"])
def test_reports_are_written_to_files_by_a_short_option(command: str, tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(UNPROVED)
    ended = mutproof(command, "model.lus", "-o", "report.txt", cwd=tmp_path)
    assert "" == ended.out
    assert "model.lus" in (tmp_path / "report.txt").read_text()


@pytest.mark.parametrize("stated", ["AG x -> AF y", "AG (x"])
def test_a_property_with_errors_is_not_said_to_be_missing(stated: str, tmp_path: Path) -> None:
    (tmp_path / "model.smv").write_text(f"MODULE main\nVAR x : boolean;\nSPEC {stated};\n")
    ended = mutproof("prove", "model.smv", cwd=tmp_path)
    assert (1, 1) == (ended.code, ended.err.count("error["))
    assert "no-property" not in ended.err


def test_keywords_of_nusmv_are_capitals(tmp_path: Path) -> None:
    (tmp_path / "model.smv").write_text("module main\nVAR x : boolean;\n")
    assert "NuSMV writes `MODULE` for `module`" in mutproof("prove", "model.smv", cwd=tmp_path).err


def test_a_file_is_proved_once_however_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "model.lus").write_text(UNPROVED)
    names = ("models/model.lus", "./models//model.lus", "models", "./models/")
    ended = mutproof("prove", *names, "--no-timings", cwd=tmp_path)
    assert ended.out.startswith("models/model.lus\n")
    assert 1 == ended.out.count("FALSIFIED")
    ended = mutproof("prove", *names[::-1], "--no-timings", cwd=tmp_path)
    assert 1 == ended.out.count("FALSIFIED")


def test_a_mistyped_file_is_answered_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "gear.lus").write_text(NO_PROPERTY)
    ended = mutproof("prove", "gera.lus", cwd=tmp_path)
    assert ended.code == 1
    assert "no such file: gera.lus\n  = help: did you mean `gear.lus`?\n" in ended.err
    assert "help" not in mutproof("prove", "other.lus", cwd=tmp_path).err
