"""Messages about undefined names and types name what may have been meant."""

from __future__ import annotations

import pytest

from mutproof.base.near import SEARCH_LIMIT, near
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from support.reading import elaborated_in

LUSTRE = """\
node main(sense : bool; rate : {type}) returns (pace, safe : bool);
let
  pace = {read};
  {target} = pace => not sense and {compared};
  --%PROPERTY pace;
tel;
"""
RIGHT = {"type": "int", "read": "sense", "target": "safe", "compared": "rate > 0"}
NUSMV = """\
MODULE light(go)
VAR colour : {{red, green}};
ASSIGN next(colour) := case go & {inner} = red : green; TRUE : red; esac;
MODULE main
VAR turn : 0..1; ew : {module}(turn = 1);
INVARSPEC {read} <= 1 -> ew.colour = {value} | ew.{part} = red
"""
MEANT = {
    "inner": "colour",
    "module": "light",
    "read": "turn",
    "value": "green",
    "part": "colour",
}


def helps(language: str, text: str) -> list[str]:
    """Return the codes and helps of the errors in a text."""
    found = elaborated_in(language, text)
    return [f"{one.code}: {one.help}" for one in found.diagnostics if one.code != "unguarded-pre"]


@pytest.mark.parametrize(
    ("part", "written", "expected"),
    [
        ("type", "integer", "undefined-type: did you mean `int`?"),
        ("type", "Boolean", "undefined-type: did you mean `bool`?"),
        ("type", "reall", "undefined-type: did you mean `real`?"),
        ("read", "sensed", "undefined-variable: did you mean `sense`?"),
        ("target", "saef", "undefined-variable: did you mean `safe`?"),
        (
            "target",
            "other",
            "undefined-variable: declare `other` as an output or in `var`, with its type",
        ),
        (
            "compared",
            "0 <= rate <= 9",
            "type-mismatch: comparisons are not chained: write `a <= b and b <= c`",
        ),
    ],
)
def test_lustre_names_what_may_be_meant(part: str, written: str, expected: str) -> None:
    assert [] == helps("lustre", LUSTRE.format(**RIGHT))
    assert expected in helps("lustre", LUSTRE.format(**{**RIGHT, part: written}))


@pytest.mark.parametrize(
    ("part", "written", "expected"),
    [
        ("inner", "colur", "undefined-name: did you mean `colour`?"),
        ("module", "lihgt", "undefined-module: did you mean `light`?"),
        ("read", "trun", "undefined-name: did you mean `turn`?"),
        ("value", "gren", "undefined-name: did you mean `green`?"),
        ("part", "color", "undefined-name: did you mean `colour`?"),
        ("read", "zzz", "undefined-name: declare it in VAR, DEFINE or CONSTANTS"),
    ],
)
def test_nusmv_names_what_may_be_meant(part: str, written: str, expected: str) -> None:
    assert [] == helps("nusmv", NUSMV.format(**MEANT))
    assert expected in helps("nusmv", NUSMV.format(**{**MEANT, part: written}))


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ("CTLSPEC AG (on->AF on)", "syntax-error"),
        ("CTLSPEC AG (on->!AF on)", "syntax-error"),
        ("LTLSPEC G (on->F on)", "syntax-error"),
        ("PSLSPEC always (on->next on);", "unexpected-operator"),
    ],
)
def test_an_implication_without_a_space_is_read_as_part_of_a_name(stated: str, code: str) -> None:
    model = f"MODULE main\nVAR on : boolean;\n{stated}\n"
    advice = "`on-` is read as a name: put a space before `->` if it is an operator"
    assert f"{code}: {advice}" in helps("nusmv", model)
    assert [] == helps("nusmv", model.replace("->", " ->"))


@pytest.mark.parametrize(("written", "meant"), [("boolen", "boolean"), ("intger", "integer")])
def test_a_misspelt_type_is_answered_with_it(written: str, meant: str) -> None:
    model = f"MODULE main\nVAR on : {written};\nINVARSPEC TRUE\n"
    assert [f"undefined-module: did you mean `{meant}`?"] == helps("nusmv", model)


@pytest.mark.parametrize(
    ("stated", "advice"),
    [
        ("LTLSPEC [] (on -> on)", "NuSMV writes `G` for `[]`"),
        ("LTLSPEC G (on -> <> on)", "NuSMV writes `F` for `<>`"),
        ("LTLSPEC <> on", "NuSMV writes `F` for `<>`"),
        ("INVARSPEC on <> on", "NuSMV writes `!=` for `<>`"),
        ("INVARSPEC on && on", "NuSMV writes `&` for `&&`"),
        ("LTLSPEC on R on", "NuSMV writes `V` for `R`"),
        ("CTLSPEC A on U !on", "NuSMV writes `A [p U q]`, or `AF p`, `AG p`, `AX p`"),
        ("CTLSPEC AG E on", "NuSMV writes `E [p U q]`, or `EF p`, `EG p`, `EX p`"),
        ("LTLSPEC (on W on)", "NuSMV has no weak until: write `(p U q) | G p` for `p W q`"),
    ],
)
def test_operators_of_time_of_other_languages_are_answered(stated: str, advice: str) -> None:
    model = f"MODULE main\nVAR on : boolean;\n{stated}\n"
    assert [f"syntax-error: {advice}"] == helps("nusmv", model)


RESERVED = """\
MODULE main
VAR {name} : 0..5; on : boolean;
ASSIGN next({name}) := on ? 0 : {name};
INVARSPEC {name} <= 5;
"""


@pytest.mark.parametrize("name", ["count", "max", "F", "EX", "signed"])
def test_reserved_words_are_called_so_where_they_stand_for_names(name: str) -> None:
    assert [] == helps("nusmv", RESERVED.format(name="counter"))
    assert ["reserved-word: choose another name"] == helps("nusmv", RESERVED.format(name=name))


@pytest.mark.parametrize(
    ("written", "place", "expected"),
    [
        ("pace == sense;", 8, "syntax: expected a single `=`"),
        ("pace = sense == safe;", 16, "syntax: expected a single `=`"),
        ("pace = sense && safe;", 16, "unsupported-dialect: write `and`"),
        ("pace = sense || safe;", 16, "unsupported-dialect: write `or`"),
        ("pace = sense != safe;", 16, "syntax: write `<>`"),
        ("pace = sense % safe;", 16, "syntax: write `mod`"),
        ("pace = !sense;", 10, "unsupported-dialect: write `not`"),
        ("pace = safe fby safe;", 15, "unsupported-dialect: write `a -> pre b` for `a fby b`"),
        ("pace = sense; // all", 17, "unsupported-dialect: a comment begins with `--`"),
        ("pace := sense;", 8, "syntax: write `=`"),
        ("pace = sense <=> safe;", 16, "syntax: write `=`"),
        ("pace = sense <-> safe;", 16, "syntax: write `=`"),
        ("pace = sense /= safe;", 16, "syntax: write `<>`"),
        ("pace = sense =< safe;", 16, "syntax: write `<=`"),
        ("pace = sense implies safe;", 16, "syntax: write `=>`"),
        ("pace = sense nor safe;", 16, "unsupported-dialect: write `not (a or b)`"),
        ("pace = safe and prev sense;", 19, "syntax: write `pre`"),
        ("pace = safe and True;", 19, "undefined-variable: did you mean `true`?"),
        ("pace = (let c = sense in c);", 11, "syntax: expected an expression"),
        ("pace = .5 > 0.0;", 10, "syntax: a number begins with a digit: `0.5`"),
        ("pace = 5. > 0.0;", 13, "syntax: a number ends with a digit: `5.0`"),
        (
            "pace[0] = sense;",
            7,
            "syntax: an equation defines a variable as a whole: `pace = [x, y];`",
        ),
        (
            "pace.on = sense;",
            7,
            "syntax: an equation defines a variable as a whole: `pace = name { f = x; g = y };`",
        ),
    ],
)
def test_what_other_languages_write_is_answered_with_what_lustre_writes(
    written: str, place: int, expected: str
) -> None:
    known = LANGUAGES["lustre"]
    text = LUSTRE.format(**RIGHT).replace("pace = sense;", written)
    source = SourceText("model", text)
    found = known.elaborate(known.parse(source)).diagnostics[0]
    position = source.position(found.span.start)
    assert ((3, place), expected) == (
        (position.line, position.column),
        f"{found.code}: {found.help}",
    )


def test_a_missing_semicolon_is_called_so_behind_a_name_that_is_a_word_elsewhere() -> None:
    text = LUSTRE.format(**RIGHT).replace("pace = sense;", "pace = prev\n")
    assert "syntax: expected an operator or `;`" in helps("lustre", text)


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        (
            "node n(int x) returns (y: int);\nlet\n  y = 1;\ntel;",
            7,
            "the name comes first: `x : int`",
        ),
        ("node n(x: int) returns (y: int);\n  y = x;\ntel;", 35, "expected `var` or `let`"),
        ("node n() returns ();\nlet\ntel;\nnod m() returns ();", 30, "did you mean `node`?"),
        (
            "node n(x: int) returns (y: bool);\nlet\n  y = not x > 0;\ntel;",
            44,
            "`not` comes before comparisons: write `not (x > y)` for `not x > y`",
        ),
        (
            "node n(x: int, z: int) returns (y: int);\nlet\n  y = x;\ntel;",
            13,
            "a semicolon stands behind a type: `; z : …`",
        ),
        (
            "node n(x: int) returns (y: int);\nlet\n  y = x;\ntel;\n--%PROPERTY y;",
            51,
            "pragmas stand in a node, between `let` and `tel`",
        ),
        (
            "node n() returns ();\nlet\ntel;\ntype t = enum {A; B};",
            46,
            "commas stand between the names of an enumeration",
        ),
        (
            "node n() returns ();\nlet\ntel;\nfunction f() returns (y: int);\nlet\n  y = 1;\ntel;",
            61,
            "write `node` for `function`",
        ),
        (
            "node n(const k: int; x: int) returns (y: int);\nlet\n  y = x;\ntel;",
            7,
            "declare it outside of nodes, or make it an input",
        ),
    ],
)
def test_declarations_of_other_languages_are_answered_with_those_of_lustre(
    text: str, place: int, expected: str
) -> None:
    known = LANGUAGES["lustre"]
    found = known.elaborate(known.parse(SourceText("model", text))).diagnostics[0]
    assert (place, expected) == (found.span.start, found.help)


@pytest.mark.parametrize(
    ("right", "written", "place"),
    [
        ("sense : bool", "floor : bool", (1, 11)),
        ("rate : int", "of : int", (1, 25)),
        ("pace = sense;", "pace = floor;", (3, 10)),
        ("pace = sense;", "pace = pre;", (3, 10)),
        ("pace = sense;", "pace = sense or real;", (3, 19)),
        ("pace = sense;", "mod = sense;", (3, 3)),
    ],
)
def test_reserved_words_of_lustre_are_no_names(
    right: str, written: str, place: tuple[int, int]
) -> None:
    known = LANGUAGES["lustre"]
    source = SourceText("model", LUSTRE.format(**RIGHT).replace(right, written))
    found = known.elaborate(known.parse(source)).diagnostics[0]
    position = source.position(found.span.start)
    word = source.slice(found.span)
    assert place == (position.line, position.column)
    assert f"`{word}` is a reserved word of Lustre" == found.message
    assert "choose another name" == found.help


@pytest.mark.parametrize("word", ["if", "then", "pre", "real", "node", "type", "else"])
@pytest.mark.parametrize(
    "text",
    [
        "node main({0} : int; b : bool) returns (ok : bool); let ok = {0} = 1 and b; tel",
        "node main(b, {0} : bool) returns (ok : bool); let ok = b; tel",
        "node main(b : bool) returns ({0} : bool); let {0} = b; --%PROPERTY {0};\ntel",
        "node main(b : bool) returns (ok : bool); var {0} : int; let ok = b; {0} = 1; tel",
    ],
)
def test_a_reserved_word_that_is_declared_is_told_of_once(text: str, word: str) -> None:
    known = LANGUAGES["lustre"]
    assert () == known.elaborate(known.parse(SourceText("model", text.format("name")))).diagnostics
    found = known.elaborate(known.parse(SourceText("model", text.format(word)))).diagnostics
    assert [("reserved-word", text.index("{0}"))] == [(one.code, one.span.start) for one in found]


def test_errors_beside_a_reserved_word_are_told() -> None:
    text = "node main(pre : int) returns (ok : bool);\nlet\n  ok = pre;\n  ok = (;\ntel\n"
    assert ["reserved-word", "syntax"] == [one.split(":")[0] for one in helps("lustre", text)]
    text = "MODULE main\nVAR next : boolean;\nASSIGN next(next) := ;\nINIT next\nINVAR (;\n"
    assert ["reserved-word", "syntax-error"] == [one.split(":")[0] for one in helps("nusmv", text)]


@pytest.mark.parametrize("word", ["next", "init", "word", "case", "mod"])
def test_a_reserved_parameter_is_told_of_once(word: str) -> None:
    text = "MODULE cell({0}) VAR x : boolean; ASSIGN init(x) := {0}; MODULE main VAR c : cell(0);"
    assert ["reserved-word: choose another name"] == helps("nusmv", text.format(word))


GATE = """\
MODULE gate(ask)
VAR state : {open, shut};
ASSIGN
  next(state) := case ask & state = open : shut; TRUE : open; esac;
MODULE main
VAR x : boolean;
  g : gate(x);
FAIRNESS x
INVARSPEC NAME fine := g.state = open | g.state = shut
"""


@pytest.mark.parametrize(
    ("right", "wrong", "line", "expected"),
    [
        ("state = open :", "state == open :", 4, "NuSMV writes `=` for `==`"),
        ("ask & state", "ask && state", 4, "NuSMV writes `&` for `&&`"),
        ("open | g", "open or g", 9, "NuSMV writes `|` for `or`"),
        ("open | g", "open || g", 9, "NuSMV writes `|` for `||`"),
        ("fine := g", "fine := not g", 9, "NuSMV writes `!` for `not`"),
        ("FAIRNESS", "// all\nFAIRNESS", 8, "NuSMV writes `--` for `//`"),
        ("state = open :", "state <> open :", 4, "NuSMV writes `!=` for `<>`"),
        ("state = open :", "state =< open :", 4, "NuSMV writes `<=` for `=<`"),
        ("open | g", "open => g", 9, "NuSMV writes `->` for `=>`"),
        ("open | g", "open <=> g", 9, "NuSMV writes `<->` for `<=>`"),
        ("x : boolean", "x : bool", 6, "NuSMV writes `boolean` for `bool`"),
        ("x : boolean", "x : Boolean", 6, "did you mean `boolean`?"),
        ("MODULE main", "MODULE Main", 5, "call it `main`"),
        ("x : boolean;", "x, y : boolean;", 6, "NuSMV declares one variable at a time: `x : …;`"),
        ("FAIRNESS", "Fairness", 8, "NuSMV writes `FAIRNESS` for `Fairness`"),
        ("FAIRNESS", "Define y := x;\nFAIRNESS", 8, "NuSMV writes `DEFINE` for `Define`"),
        ("FAIRNESS", "FAIRNES", 8, "did you mean `FAIRNESS`?"),
        ("NAME fine", "fine", 9, "a name stands behind NAME: `INVARSPEC NAME fine := …`"),
        (
            "gate(ask)",
            "gate(ask);",
            1,
            "nothing stands behind the parameters of a module: remove `;`",
        ),
        ("TRUE :", "true :", 4, "did you mean `TRUE`?"),
        ("gate(x)", "gate()", 7, "give one expression for each parameter"),
        ("gate(x)", "gat(x)", 7, "did you mean `gate`?"),
        ("gate(x)", "gate(xs)", 7, "did you mean `x`?"),
    ],
)
def test_one_slip_in_a_nusmv_model_gives_one_error_where_it_is(
    right: str, wrong: str, line: int, expected: str
) -> None:
    known = LANGUAGES["nusmv"]
    assert () == tuple(elaborated_in("nusmv", GATE).diagnostics)
    source = SourceText("model", GATE.replace(right, wrong, 1))
    found = known.elaborate(known.parse(source)).diagnostics
    told = [(source.position(one.span.start).line, one.help) for one in found]
    assert [(line, expected)] == told


def test_names_are_near_whatever_their_case() -> None:
    assert ["g2ge"] == near("G2GE", ["g2ge", "l2le"])
    assert ["Far", "far"] == near("FAR", ["Far", "far", "near"])
    assert ["csv"] == near("cvs", ["csv", "vcd", "xml"])
    assert [] == near("fast", ["late", "slow"])


def test_many_names_are_not_searched() -> None:
    assert ["name1"] == near("nam1", ["name1", "other"])
    assert [] == near("nam1", (f"name{number}" for number in range(SEARCH_LIMIT + 1)))
