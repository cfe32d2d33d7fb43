"""What starts soon imports little: rows of registries wait, and so does what few need."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mutproof
from mutproof.base.registry import Registry, RegistryRow
from mutproof.cli.commands import COMMANDS
from mutproof.languages import LANGUAGES
from mutproof.reporters import REPORTERS
from mutproof.reporters.trace_formats import TRACE_FORMATS

MODEL = """\
node main(x : bool) returns (ok : bool);
let
  ok = x or not x;
  --%PROPERTY ok;
tel;
"""
WAITING: dict[str, tuple[Registry[Any], str]] = {
    "commands": (COMMANDS, "mutproof.cli.commands."),
    "languages": (LANGUAGES, "mutproof.languages."),
    "formats": (REPORTERS, "mutproof.reporters."),
    "formats of traces": (TRACE_FORMATS, "mutproof.reporters.trace_"),
}
SLOW = {"z3", "dd", "cvc5", "rich", "pygls", "importlib.metadata", "json", "csv", "difflib"}


def imported(*words: str, kept: str = "") -> set[str]:
    """Return what a process of the command imports, its workers apart; `kept` is its cache."""
    script = (
        "import atexit, os, sys\n"
        "say = lambda: print('', *sys.modules, sep='\\n', file=sys.stderr, flush=True)\n"
        "atexit.register(say)\n"
        "end = os._exit  # the end of a process in which a thread is still at work\n"
        "os._exit = lambda code: (say(), end(code))\n"
        f"sys.argv = {['mutproof', *words]!r}\n"
        "from mutproof.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MUTPROOF_CACHE_DIR": kept},
    )
    assert 0 == done.returncode, done.stderr
    return set(done.stderr.split())


@pytest.fixture(name="model")
def _model(tmp_path: Path) -> Path:
    model = tmp_path / "model.lus"
    model.write_text(MODEL, encoding="utf-8")
    return model


@pytest.mark.parametrize("name", WAITING)
def test_a_registry_names_the_modules_of_its_entries(name: str) -> None:
    registry, prefix = WAITING[name]
    rows = registry._rows.values()
    assert registry.names() == tuple(row.name for row in rows)
    assert list(registry.names()) == [entry.name for entry in registry]
    for row in rows:
        assert row.module == prefix + row.name.replace("-", "_")


def test_a_row_of_another_name_than_its_entry_is_a_mistake() -> None:
    row = RegistryRow("prove", "mutproof.cli.commands.core")
    registry: Registry[Any] = Registry("command", (row,), attribute="COMMAND")
    with pytest.raises(ValueError, match="is 'core', not 'prove'"):
        registry["prove"]


def test_the_help_imports_no_domain() -> None:
    found = imported("--help")
    layers = {"model", "languages", "solving", "analyses", "workspace", "runtime", "lsp", "ide"}
    allowed = {"mutproof.workspace", "mutproof.workspace.options"}
    ours = {name for name in found if name.startswith("mutproof.")} - allowed
    assert {f"mutproof.cli.commands.{name.replace('-', '_')}" for name in COMMANDS.names()} <= ours
    assert set() == {name for name in ours if name.split(".")[1] in layers}
    assert set() == (SLOW - {"json"} | {"asyncio", "lark", "logging", "platformdirs"}) & found


def test_a_command_imports_its_own_format_and_language_only(model: Path) -> None:
    kept = str(model.parent / "kept")
    imported("prove", str(model), kept=kept)  # keeps the tables of the grammar
    found = imported("prove", str(model), kept=kept)
    assert "mutproof.reporters.text" in found
    assert "mutproof.languages.lustre" in found
    others = [f"mutproof.cli.commands.{name}" for name in ("core", "mutate", "serve", "explain")]
    formats = [f"mutproof.reporters.{name}" for name in ("html", "trace_xml", "trace_vcd")]
    folders = ("mutproof.languages.nusmv", "mutproof.solving", "mutproof.lsp", "mutproof.ide")
    assert set() == {*others, *formats, "mutproof.cli.certification"} & found
    assert [] == [name for name in sorted(found) if name.startswith(folders)]
    assert set() == (SLOW - {"json"}) & found
    assert set() == {"tomllib", "zipfile", "importlib.resources", "hashlib", "platform"} & found
    unused = {"asyncio", "logging", "platformdirs", "socket", "ssl", "tempfile"}
    assert set() == unused & found or sys.platform != "linux"


def test_a_worker_imports_the_language_it_reads_only(model: Path) -> None:
    script = f"""
import sys
from mutproof.base.text import SourceText
from mutproof.runtime.child import real_engine
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
options, engine = Options(mutate=False), real_engine()
found = engine.elaborate("lustre", SourceText("model", open({str(model)!r}).read()))
engine.mutants("lustre", found, options)
no = lambda: False
engine.analyse(
    found, options, Memory(), lambda _: None, cancelled=no, attention=lambda: frozenset(), asked=no
)
print(*sorted(sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    found = set(done.stdout.split())
    assert "mutproof.languages.lustre" in found
    assert "mutproof.languages.nusmv" not in found
    assert "mutproof.solving.z3_solver" in found
    unwanted = {"asyncio", "dd", "cvc5", "rich", "pygls", "z3.z3", "z3.z3core", "z3.z3printer"}
    assert set() == unwanted & found
    unused = ("analyses.mutation.mutators", "analyses.deciding.rungs", "analyses.deciding.ladder")
    unused += ("analyses.equivalence.survivors", "analyses.advising.advise")
    unused += (
        "solving.bdd.check",
        "solving.liveness.prove",
        "solving.spacer_child",
        "solving.line_process",
    )
    unused += ("solving.engines.pdr", "solving.engines.reachability", "model.relational_evaluate")
    begun = tuple(f"mutproof.{name}" for name in unused)
    assert [] == [name for name in sorted(found) if name.startswith(begun)]


def test_who_imports_z3_afterwards_has_all_of_it() -> None:
    script = """
from mutproof.solving.z3_context import Z3Context
context = Z3Context()
import z3
print(z3.simplify(z3.IntVal(1) + 1), z3.z3core is z3.z3.z3core, context.text(context.true))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "2 True true\n" == done.stdout


@pytest.mark.parametrize("name", ["model.lus", "model.smv"])
def test_who_reads_does_not_import_what_makes_tables(name: str) -> None:
    script = f"""
import sys
from mutproof.base.text import SourceText
from mutproof.workspace import sources
sources.language_of({name!r}).prepare()
print("lark" in sys.modules)
"""
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "False\n" == said.stdout


def test_no_module_compiles_its_records_at_its_start() -> None:
    package = Path(mutproof.__path__[0])
    found = [
        path.relative_to(package).as_posix()
        for path in sorted(package.rglob("*.py"))
        if re.search(r"^from dataclasses import .*\bdataclass\b", path.read_text("utf-8"), re.M)
    ]
    assert [] == found
