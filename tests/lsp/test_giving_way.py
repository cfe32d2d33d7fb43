"""Reading gives way to others all the time, however long a text is and whatever is in it."""

from __future__ import annotations

import sys
import threading
from types import FrameType

import pytest
from lsprotocol import types

from mutproof.base import giving_way
from mutproof.base.text import SourceText
from mutproof.ide import names
from mutproof.languages import LANGUAGES
from mutproof.lsp import drawing
from mutproof.runtime import aside
from mutproof.workspace.queries import Queries

MOST_CALLS = 200_000
"""How many functions are called at most before others have a turn: some hundredths of a second."""

LARGE = {
    "a chain of equations": "node main(x: int) returns (p: bool);\nvar\n"
    + "".join(f"  e{i}: int;\n" for i in range(4_000))
    + "let\n  e0 = x;\n"
    + "".join(f"  e{i} = e{i - 1} + 1;\n" for i in range(1, 4_000))
    + "  p = e3999 >= x;\n  --%PROPERTY p;\ntel;\n",
    "a chain of calls": "".join(
        f"node n{i}(x: int) returns (y: int);\nlet y = n{i + 1}(x) + 1; tel;\n"
        for i in range(2_000)
    )
    + "node n2000(x: int) returns (y: int);\nlet y = x; tel;\n"
    "node main(x: int) returns (p: bool);\nlet p = n0(x) >= x; --%PROPERTY p;\ntel;\n",
    "values of a type": f"type t = enum {{ {', '.join(f'v{i}' for i in range(8_000))} }};\n"
    "node main(x: t) returns (p: bool);\nlet p = x = v0; --%PROPERTY p;\ntel;\n",
    "properties": "MODULE main\nVAR x: boolean;\n" + "INVARSPEC x | !x;\n" * 6_000,
    "negations": f"MODULE main\nVAR x: boolean;\nINVARSPEC {'!' * 20_000}x;\n",
    "macros": "MODULE main\nVAR x: boolean;\nDEFINE d0 := x;\n"
    + "".join(f"DEFINE d{i} := !d{i - 1};\n" for i in range(1, 4_000))
    + "INVARSPEC d3999;\n",
    "branches": "MODULE main\nVAR x: 0..2000;\nASSIGN next(x) := case\n"
    + "".join(f"x = {i} : {i + 1};\n" for i in range(2_000))
    + "TRUE: 0; esac;\nINVARSPEC x >= 0;\n",
    "nothing that fits": "MODULE main\nVAR x: boolean;\n" + "foo bar := ( [ }\n" * 8_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_reading_gives_way_all_the_time(name: str):
    """Nobody waits for long; calls of functions are counted, not seconds."""
    calls = 0
    longest: list[int] = []

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event.endswith("call")

    def pause() -> None:
        nonlocal calls
        longest.append(calls)
        calls = 0

    def work() -> None:
        text = LARGE[name]
        language = LANGUAGES[kind]
        language.parse(SourceText("model", text[:100]))  # the tables of its grammar
        with giving_way.arranged(pause):
            sys.setprofile(count)
            try:
                elaborated = Queries().elaborated(kind, SourceText("model", text))
                found = names.names(elaborated, language).prepare()
                drawing.drawing(elaborated, found, types.PositionEncodingKind.Utf16)
                pause()
            finally:
                sys.setprofile(None)

    kind = "nusmv" if LARGE[name].startswith("MODULE") else "lustre"
    threading.stack_size(aside.STACK_BYTES)
    thread = threading.Thread(target=work)
    thread.start()
    threading.stack_size(0)
    thread.join()
    assert max(longest) < MOST_CALLS
    assert sum(longest) > MOST_CALLS
