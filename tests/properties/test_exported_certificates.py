"""Certificates as SMT-LIB scripts: complete, readable, and confirmed by another solver."""

from __future__ import annotations

from mutproof.analyses.finding import PropertyVerdict
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.workspace.analysis import Memory, Report, analyse
from mutproof.workspace.options import Options

PROCESSES = """\
MODULE keeper(x)
ASSIGN next(x) := x;

MODULE main
VAR
  x : boolean;
  one : process keeper(x);
  other : process keeper(x);
ASSIGN
  init(x) := FALSE;
INVARSPEC NAME off := !x
"""


def report(text: str, memory: Memory, language: str = "nusmv") -> Report:
    read = LANGUAGES[language]
    elaborated = read.elaborate(read.parse(SourceText("model", text)))
    assert elaborated.program is not None, elaborated.diagnostics
    options = Options(mutate=False, cores=False)
    return analyse(elaborated, options, memory, lambda _: None, lambda: False)


def test_a_proof_rests_on_what_keeps_variables_while_others_run() -> None:
    memory = Memory()
    before = report(PROCESSES, memory)
    assert [PropertyVerdict.PROVED] == [found.verdict for found in before.properties]

    assigned = PROCESSES.replace("init(x) := FALSE;", "init(x) := FALSE; next(x) := TRUE;")
    after = report(assigned, memory)

    assert [PropertyVerdict.FALSIFIED] == [found.verdict for found in after.properties]
