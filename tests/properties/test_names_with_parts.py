"""Names with dots and indices, as translators to JKind write them, are names like others."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from mutproof.base.diagnostics import has_errors
from mutproof.ide import names, rename
from mutproof.languages.lustre import LANGUAGE, lexing
from mutproof.model.language import Elaborated
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.lustre_mutants import mutated_text
from support.profiles import profile
from support.reading import analysed, elaborated_in

PLAIN = """\
node main(in1: int; in2, in3: bool) returns (out1: int; out2, out3: bool);
var var1: int; var2: int;
let
  var1 = 0 -> if in2 then pre var1 + in1 else pre var1;
  var2 = 0 -> if in3 and pre var2 < 3 then pre var2 + 1 else pre var2;
  out1 = var1 + var2;
  out2 = var2 <= 3;
  out3 = var1 >= 0 or in1 < 0;
  --%PROPERTY out2;
  --%PROPERTY out3;
  --%IVC var1, var2;
tel;
"""
NAMES = {
    "in1": "a.b",
    "in2": "a.b.c",
    "in3": "a[0]",
    "out1": "p[1][2]",
    "out2": "p.q[2].r",
    "out3": "p.q[2]",
    "var1": "a",
    "var2": "x[10].y",
}
DOTTED = re.sub("|".join(NAMES), lambda found: NAMES[found[0]], PLAIN)


def elaborated(text: str) -> Elaborated:
    found = elaborated_in("lustre", text)
    assert not has_errors(found.diagnostics), found.diagnostics
    return found


def told(text: str) -> list[object]:
    """Return verdicts, in terms of plain names."""
    wanted = Options(cores=False, equivalence="outputs", level="all")
    found = analysed(elaborated(text), wanted)
    plain = {name: name for name in NAMES} | {part: name for name, part in NAMES.items()}
    return [
        *[(plain[p.name], p.verdict, p.k) for p in found.properties],
        *[
            (
                m.status,
                [plain[name] for name in m.killed_by],
                m.equivalence and m.equivalence.status,
            )
            for m in found.mutants
        ],
    ]


def test_they_change_no_verdict() -> None:
    assert told(PLAIN) == told(DOTTED)


def test_mutants_are_written_with_them() -> None:
    found = elaborated(DOTTED)
    texts = [mutated_text(found, m) for m in enumerate_mutants(found, Options(level="all"))]

    assert any(text is not None for text in texts)
    for text in texts:
        if text is not None:
            elaborated(text)


def test_they_are_renamed_as_a_whole() -> None:
    found = elaborated(DOTTED)
    at = DOTTED.index("x[10].y")
    spans = rename.rename(names.names(found, LANGUAGE), at, "w").spans

    assert ["x[10].y"] * 8 == [DOTTED[span.start : span.end] for span in spans]


@given(st.lists(st.sampled_from(["a", ".", "[", "]", "2", "02", " ", ",", "1.5", "(* *)", "pre"])))
@profile(300)
def test_joining_names_leaves_no_token_out(pieces: list[str]) -> None:
    text = "".join(pieces)
    plain = list(lexing.tokens(text))
    joined = list(lexing.with_parts(plain))
    spans = [(token.start, token.end) for token in joined]

    assert spans == sorted(spans)
    for token in joined:
        inside = [one for one in plain if token.start <= one.start and one.end <= token.end]
        numbers = [str(int(one.text)) if one.type == "INT" else one.text for one in inside]
        assert len(inside) == 1 or token.text == "".join(numbers)
    assert all(any(s <= one.start and one.end <= e for s, e in spans) for one in plain)
