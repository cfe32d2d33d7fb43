"""Chains of products make numbers that nobody can compute: the answer is unknown, and soon."""

from __future__ import annotations

from pathlib import Path

import pytest
from process import mutproof

SQUARES = "".join(f"d{n + 1} {{}} d{n} * d{n};\n" for n in range(80))
LOCALS = " ".join(f"d{n}: int;" for n in range(81))
MODELS = {
    "variables.lus": (
        f"node main(x: int) returns (ok: bool);\nvar {LOCALS}\nlet d0 = 3 + (0 -> 0 * pre d0);\n"
        f"{SQUARES.format(*['='] * 80)}ok = d80 >= 0;\n--%PROPERTY ok;\ntel;\n"
    ),
    "variables.smv": (
        "MODULE main\nVAR x: 2..4;\nASSIGN init(x) := 3; next(x) := 3;\nDEFINE d0 := x;\n"
        f"{SQUARES.format(*[':='] * 80)}INVARSPEC d80 >= 0\n"
    ),
    "branches.smv": (
        "MODULE main\nVAR b: boolean; x: integer;\nDEFINE d0 := x;\n"
        f"{SQUARES.format(*[':='] * 80)}"
        "DEFINE e := case d80 > 5 & b : 1; d80 mod 7 = 3 : 2; esac;\nINVARSPEC e >= 0\n"
    ),
    "constants.smv": (
        "MODULE main\nVAR b: boolean;\nDEFINE d0 := 3;\n"
        f"{SQUARES.format(*[':='] * 80)}INVARSPEC d80 >= 0\n"
    ),
}


@pytest.mark.parametrize("command", ["prove", "mutate"])
@pytest.mark.parametrize("name", MODELS)
def test_numbers_that_are_too_long_are_unknown(tmp_path: Path, name: str, command: str) -> None:
    (tmp_path / name).write_text(MODELS[name])
    done = mutproof(command, tmp_path / name, "--no-cache", "--jobs", "1", "--file-timeout", "60")
    assert "UNKNOWN" in done.out
    assert "a number has more than 100 000 bits" in done.out
    assert "PROVED" not in done.out
    assert "error[number-too-large]" in done.err
