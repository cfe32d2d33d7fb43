"""What trials found, seen through the command alone: verdicts that were wrong, models refused.

Each model differs in one way from what the tests of its time had. The verdicts are those of JKind
4.6.1 and NuSMV 2.6.0.
"""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from process import command, environment, mutproof

# --- what is compared of survivors --------------------------------------------------------------

_PAIR = """\
node main(a, b: bool; x, y: int) returns (p, q: bool; s: bool);
var v, w: bool;
let
  s = a or (w and a and v);
  v = a or not a;
  p = v;
  w = {w};
  q = w;
  --%PROPERTY p;
  --%PROPERTY q;
tel
"""
_CUBES = "b or x * x * x + y * y * y <> 3 * x + 74"
COMPARED = {
    "a field beside a property": (
        (
            "type R = struct { x: int; ok: bool };\n"
            "node main(n: int) returns (r: R; s: int);\n"
            "var m: int;\n"
            "let\n"
            "  s = n;\n"
            "  m = 0 -> if n > 0 then n + 1 else 0;\n"
            "  r = R {x = m; ok = m >= 0};\n"
            "  --%PROPERTY r.ok;\n"
            "tel\n"
        ),
        (),
        ("6:28", "plus2minus"),
    ),
    "an element beside a property": (
        (
            "node main(a, b: bool) returns (r: bool[2]; s: bool);\n"
            "var m: bool;\n"
            "let\n"
            "  s = a or (m and a);\n"
            "  m = a and b;\n"
            "  r = [m or not m, m];\n"
            "  --%PROPERTY r[0];\n"
            "tel\n"
        ),
        (),
        ("5:9", "and2or"),
    ),
    "a property that is falsified": (_PAIR.format(w="a and b"), (), ("7:9", "and2or")),
    "a property that is unknown": (
        _PAIR.format(w=_CUBES),
        ("--rlimit", "300000"),
        ("7:34", "neq2eq"),
    ),
    "a property that was left out": (
        _PAIR.format(w="b or not b"),
        ("--property", "p"),
        ("7:9", "or2left"),
    ),
}


@pytest.mark.parametrize("name", COMPARED)
def test_an_output_that_no_proof_speaks_of_is_compared(tmp_path: Path, name: str) -> None:
    text, chosen, (place, operator) = COMPARED[name]
    (tmp_path / "model.lus").write_text(text)
    options = ["--no-cache", "--jobs", "1", "--format", "json", *chosen]
    ended = mutproof("equivalent", "model.lus", *options, cwd=tmp_path)

    found = {
        (f"{one['line']}:{one['column']}", one["operator"]): one["status"]
        for one in json.loads(ended.out)["survivors"]
    }
    assert "gap" == found[place, operator]


# --- what the reference tools accept ------------------------------------------------------------


def _lustre(declared: str, body: str, *properties: str) -> str:
    names = [f"p{number}" for number, _ in enumerate(properties, start=1)]
    stated = zip(names, properties, strict=True)
    equations = "".join(f"  {name} = {one}; --%PROPERTY {name};\n" for name, one in stated)
    outputs = ", ".join(names)
    local = f"var {declared}\n" if declared else ""
    header = f"node main(g: bool; x: int) returns ({outputs}: bool);\n"
    return f"{header}{local}let\n  {body}\n{equations}tel;\n"


LUSTRE = {
    "a loop with one solution": (
        _lustre("a: int;", "a = 8 - a;", "a = 4", "a > 4"),
        ["proved", "falsified"],
        [],
    ),
    "a loop with several solutions": (
        _lustre("a, b: int;", "a = b; b = a;", "a = b", "a = x"),
        ["proved", "falsified"],
        ["ambiguous-loop"],
    ),
    "a loop without a solution": (
        _lustre("a: int;", "a = a + 1;", "x > 0"),
        ["proved"],
        ["no-initial-state"],
    ),
    "a loop in some branch": (
        _lustre("a, b: int;", "a = if g then b else x; b = if g then x else a;", "a = x"),
        ["proved"],
        [],
    ),
    "a loop through a call": (
        "node f(y: int) returns (z: int); let z = 6 - y; tel;\n"
        + _lustre("a: int;", "a = f(a);", "a = 3"),
        ["proved"],
        [],
    ),
    "a loop through time that begins with itself": (
        _lustre("a: int;", "a = a -> pre a;", "true -> a = pre a", "a = 0"),
        ["proved", "falsified"],
        [],
    ),
    "cells that need other cells": (
        _lustre("a: int[2];", "a = [x, a[0] + 1];", "a[1] = x + 1"),
        ["proved"],
        None,
    ),
    "fields that need other fields": (
        "type R = struct { u: int; v: int };\n"
        + _lustre("r: R;", "r = R {u = x; v = r.u + 1};", "r.v = x + 1"),
        ["proved"],
        None,
    ),
    "names with `!`": (_lustre("!a, b!c: int;", "!a = x; b!c = !a;", "b!c = x"), ["proved"], []),
    "names with dots and indices": (
        (
            "node main(a.b: int; c[0].x: bool) returns (p1: bool);\n"
            "var z[1]: int;\nlet\n  z[1] = a.b;\n"
            "  p1 = z[1] = a.b and (c[0].x or not c[0].x); --%PROPERTY p1;\ntel;\n"
        ),
        ["proved"],
        [],
    ),
    "a constant that is a pre": (
        "const A = pre 3;\n" + _lustre("", "", "A = 3", "A = 4"),
        ["proved", "falsified"],
        [],
    ),
    "a constant that is a tuple": (
        "const T = (1, 2);\n" + _lustre("a, b: int;", "a, b = T;", "a < b"),
        ["proved"],
        [],
    ),
    "a divisor that is a constant and zero, not needed": (
        "const D = if true then 1 else 3 div Z;\nconst Z = 0;\n" + _lustre("", "", "D = 1"),
        ["proved"],
        ["division-by-zero"],
    ),
    "a node marked as the main one twice": (
        _lustre("", "--%MAIN", "x = x").replace("tel;", "  --%MAIN\ntel;"),
        ["proved"],
        ["several-mains"],
    ),
}
"""Models, the verdicts on their properties, and warnings they must have; None: there are none."""

NUSMV = {
    "an index that is a macro": (
        (
            "MODULE main\nVAR f : array 0..3 of boolean;\nDEFINE right := 1;\n"
            "ASSIGN init(f[right]) := TRUE; next(f[right]) := f[right];\n"
            "INVARSPEC f[1];\nINVARSPEC f[0];\n"
        ),
        ["proved", "falsified"],
    ),
    "an index that is computed": (
        (
            "MODULE main\nVAR f : array 0..3 of boolean;\nDEFINE right := 1;\n"
            "ASSIGN f[right + 1 * 2] := TRUE;\nINVARSPEC f[3];\n"
        ),
        ["proved"],
    ),
    "a next value through a variable": (
        (
            "MODULE main\nVAR p : 0..1; r : 0..1;\n"
            "ASSIGN r := p; init(p) := 0; next(p) := case next(r) = 1 : 1; TRUE : 0; esac;\n"
            "INVARSPEC p = r;\n"
        ),
        ["proved"],
    ),
    "a next value through a macro of a variable": (
        (
            "MODULE main\nVAR p : 0..3; r : 0..3;\nDEFINE d := r;\n"
            "ASSIGN r := p; init(p) := 0; next(p) := case next(d) = 1 : 1; TRUE : 0; esac;\n"
            "INVARSPEC p < 2;\n"
        ),
        ["proved"],
    ),
    "a bound that is a variable of one value": (
        "MODULE main\nVAR n : 3..3; x : 0..n;\nINVARSPEC x < 4;\nINVARSPEC x < 3;\n",
        ["proved", "falsified"],
    ),
    "names with dots and indices": (
        (
            "MODULE part(p)\nVAR p[0] : boolean; arr : array 0..1 of boolean;\n"
            "MODULE main\nVAR a : boolean; a.b : boolean; a.b[3].c : 0..2; i[2] : part(a);\n"
            "ASSIGN init(a.b[3].c) := 2; next(i[2].arr[1]) := i[2].p[0];\n"
            "INVARSPEC a.b[3].c < 3;\nINVARSPEC a.b[3].c = 2;\n"
        ),
        ["proved", "falsified"],
    ),
    "sequences that match together": (
        (
            "MODULE main\nVAR a : boolean; n : 0..3;\n"
            "ASSIGN init(a) := TRUE; next(a) := TRUE; init(n) := 0; next(n) := (n + 1) mod 4;\n"
            "PSLSPEC {{a; a} && {n = 0; n = 1}} |=> {n = 2}!;\n"
            "PSLSPEC {{a; a} && {n = 0; n = 1}} |=> {n = 3}!;\n"
        ),
        ["proved", "falsified"],
    ),
}
CLASHING = {
    "a constant and a variable of another module": (
        "MODULE sub\nVAR a : boolean;\nMODULE main\nVAR s : {a, b}; t : sub;\nINVARSPEC s = b;\n"
    ),
    "a constant and a variable": "MODULE main\nVAR a : boolean; s : {a, b};\nINVARSPEC s = b;\n",
    "a constant and a macro": (
        "MODULE main\nVAR s : {a, b};\nDEFINE a := TRUE;\nINVARSPEC s = b;\n"
    ),
}


def _files(folder: Path, suffix: str, texts: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Return what is said of each text, in one run."""
    paths = {folder / f"{number}{suffix}": name for number, name in enumerate(texts)}
    for path, name in paths.items():
        path.write_text(texts[name])
    ended = mutproof("prove", "--no-cache", "--jobs", "1", "--format", "json", *paths)
    told = json.loads(ended.out)
    return {paths[Path(one["file"])]: one for one in told}


def _verdicts(told: dict[str, Any]) -> list[str]:
    return [found["verdict"] for found in told["properties"]]


@pytest.fixture(scope="module")
def lustre(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    texts = {name: text for name, (text, _, _) in LUSTRE.items()}
    return _files(tmp_path_factory.mktemp("lustre"), ".lus", texts)


@pytest.fixture(scope="module")
def nusmv(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    texts = {name: text for name, (text, _) in NUSMV.items()} | CLASHING
    return _files(tmp_path_factory.mktemp("nusmv"), ".smv", texts)


@pytest.mark.parametrize("name", LUSTRE)
def test_what_jkind_accepts_has_its_verdicts(lustre: dict[str, Any], name: str) -> None:
    _, expected, warnings = LUSTRE[name]

    assert expected == _verdicts(lustre[name])
    said = [found["code"] for found in lustre[name]["diagnostics"]]
    assert "error" not in [found["severity"] for found in lustre[name]["diagnostics"]]
    if warnings is None:
        assert [] == said
    else:
        assert set(warnings) <= set(said)


@pytest.mark.parametrize("name", NUSMV)
def test_what_nusmv_accepts_has_its_verdicts(nusmv: dict[str, Any], name: str) -> None:
    assert NUSMV[name][1] == _verdicts(nusmv[name])


@pytest.mark.parametrize("name", CLASHING)
def test_a_constant_that_clashes_is_refused(nusmv: dict[str, Any], name: str) -> None:
    assert [] == _verdicts(nusmv[name])
    assert "error" in {found["severity"] for found in nusmv[name]["diagnostics"]}


# --- a server that is asked what it does not know -----------------------------------------------


def test_a_server_answers_every_request() -> None:
    hover = "textDocument/hover"
    start = {"processId": None, "rootUri": None, "capabilities": {}}
    asked: list[tuple[int, str, dict[str, Any] | None]] = [
        (1, hover, {}),
        (2, "initialize", start),
        (3, "no/such", None),
        (4, hover, {}),
        (5, "shutdown", None),
        (6, hover, {}),
    ]
    messages = [{"jsonrpc": "2.0", "id": n, "method": m, "params": p} for n, m, p in asked]
    bodies = [json.dumps(one).encode() for one in messages]
    bodies[3:3] = [b"{bad"]
    served = subprocess.Popen(
        command("serve"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    backstop = threading.Timer(60, served.kill)
    backstop.start()
    assert served.stdin is not None
    assert served.stdout is not None
    served.stdin.write(
        b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    )
    served.stdin.flush()
    codes: dict[object, object] = {}
    while len(codes) < len(bodies) and (header := served.stdout.readline()):
        if header.startswith(b"Content-Length: "):
            while served.stdout.readline().strip():
                pass
            answer = json.loads(served.stdout.read(int(header.split()[1])))
            if "id" in answer:
                codes[answer["id"]] = answer.get("error", {}).get("code")
    served.communicate(b'Content-Length: 36\r\n\r\n{"jsonrpc": "2.0", "method": "exit"} ')
    backstop.cancel()

    expected = {1: -32002, 2: None, 3: -32601, None: -32700, 4: -32602, 5: None, 6: -32600}
    assert expected == codes
