"""Names in NuSMV texts: through instances and parameters, in sound parts of broken texts too."""

from __future__ import annotations

import pytest
from test_nusmv_ide import MODEL, applied, elaborated, names, offset

from mutproof.ide import completion, navigation, rename, semantic_tokens, symbols
from mutproof.ide import names as naming
from mutproof.languages import LANGUAGES
from mutproof.model.editing import TextEdit


@pytest.mark.parametrize(
    ("mark", "declaration"),
    [
        ("c : cell(p.one.^big", "  ^big := v"),
        ("c : cell(p.^one", "  ^one : cell"),
        ("c : ^cell(", "MODULE ^cell"),
        ("arr[1] := gate.^open", "  ^open : boolean"),
        ("arr[1] := ^gate", "cell(step, ^gate)"),
        ("!(c.^v = 1", "  ^v : 0..3"),
        ("p.^w = 0ud3_4", "  ^w : unsigned"),
        ("init(^arr[0])", "  ^arr : array"),
    ],
)
def test_a_name_leads_through_instances_to_its_declaration(mark, declaration):
    target = navigation.definition(names(), offset(MODEL, mark))
    assert target is not None
    assert offset(MODEL, declaration) == target.name.start


def test_renaming_goes_through_instances_and_keeps_the_meaning():
    found = names()
    spans = rename.rename(found, offset(MODEL, "  ^big := v"), "above").spans
    text = applied(MODEL, tuple(TextEdit(span, "above") for span in spans))
    assert "c : cell(p.one.above, p.way);" in text
    assert () == elaborated(text).diagnostics
    assert 2 == len(spans)


@pytest.mark.parametrize(
    ("new", "refusal"),
    [("esac", "'esac' is a keyword"), ("v", "'v' is declared already"), ("a-b$", ""), ("2", None)],
)
def test_a_name_that_cannot_be_used_is_refused(new, refusal):
    found = rename.rename(names(), offset(MODEL, "  ^big := v"), new).refusal
    assert found == ("'2' is no identifier" if refusal is None else refusal)


def test_a_name_that_a_parameter_shares_with_others_is_not_renamed():
    text = """\
MODULE left
VAR x : boolean;
MODULE right
VAR x : boolean;
MODULE reads(p)
INVARSPEC p.x | !p.x
MODULE main
VAR l : left; r : right; a : reads(l); b : reads(r);
"""
    refusal = rename.rename(names(text), text.index("x : boolean"), "y").refusal
    assert "'x' is also reached through a parameter that is bound to others" == refusal


def test_a_dot_is_followed_by_the_parts_of_the_instance():
    def labels(before: str, mark: str) -> list[str]:
        at = offset(MODEL, mark)
        return [item.label for item in completion.completions(names(), at, before)]

    assert ["one", "way", "w"] == labels("  c := p.", "INVARSPEC NAME ^never")
    assert ["v", "arr", "big"] == labels("  c := !p.one.b", "INVARSPEC NAME ^never")
    assert ["open"] == labels("gate.", "init(^v)")
    assert {"v", "step", "gate", "big", "on", "case"} <= set(labels("x := ", "init(^v)"))
    assert "low" not in labels("x := ", "init(^v)")


def test_names_of_a_broken_text_are_found_in_its_sound_parts():
    text = MODEL.replace("next(v) := step ?", "next(v) := step ? ? ")
    assert elaborated(text).program is None
    target = navigation.definition(names(text), offset(text, "c : cell(p.one.^big"))
    assert target is not None
    assert offset(text, "  ^big := v") == target.name.start


def test_included_modules_share_their_names():
    text = "MODULE base\nVAR x : boolean;\nMODULE main\nISA base\nDEFINE d := x;\n"
    target = navigation.definition(names(text), offset(text, "d := ^x"))
    assert target is not None
    assert offset(text, "VAR ^x") == target.name.start


def test_a_chain_of_parameters_and_a_module_that_holds_itself_are_followed():
    links = "".join(f"MODULE m{n}(p)\nVAR next_one : m{n + 1}(p);\n" for n in range(300))
    text = links + "MODULE m300(p)\nDEFINE d := p.x;\nMODULE t\nVAR x : boolean; again : t;\n"
    text += "MODULE main\nVAR s : t; a : m0(s);\n"
    found = naming.names(elaborated(text), LANGUAGES["nusmv"])
    target = navigation.definition(found, offset(text, "d := p.^x"))
    assert target is not None
    assert offset(text, "VAR ^x") == target.name.start


def test_the_outline_nests_by_module():
    found = symbols.symbols(names(), elaborated(MODEL).provenance)
    assert ["cell", "door", "both", "main"] == [symbol.label for symbol in found]
    cell = [child.label for child in found[0].children]
    assert ["step", "gate", "v", "arr", "init(v)", "next(v)", "init(arr[0])", "arr[1]"] == cell[:8]
    assert ["big", "low"] == cell[8:]
    assert all(found[0].whole.covers(child.whole) for child in found[0].children)
    assert ["low"] == [child.label for child in found[0].children if child.is_property]


def test_colours_tell_modules_macros_parameters_and_properties():
    found = semantic_tokens.semantic_tokens(names(), elaborated(MODEL).provenance)
    kinds = {(MODEL[t.span.start : t.span.end], t.kind.value) for t in found}
    assert {
        ("cell", "class"), ("gate", "parameter"), ("big", "macro"), ("never", "property"),
        ("open", "variable"), ("on", "variable"),
    } <= kinds  # fmt: skip
