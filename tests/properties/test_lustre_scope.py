"""Names lead to their declarations, in broken files too."""

from __future__ import annotations

from mutproof.base.text import SourceText
from mutproof.ide.names import Names
from mutproof.languages.lustre import parse, scope
from mutproof.model.naming import NameKind

FILE = """\
type color = enum {RED, GREEN};
type point = struct {x: int; near: bool};
type line = struct {from: point; via: point[2]};
const HOME = point {x = 0; near = true};
function far(p: point) returns (r: real);
node move(p: point; c: color) returns (q: point);
var x: int;
let
  x = if c = RED then p.x else HOME.x;
  q = p{x := x};
tel;
node main(l: line) returns (ok: bool);
var q: point;
let
  q = move(l.from, GREEN);
  ok = l.via[1].x > move(q, RED).x and far(q) > 0.0;
  --%PROPERTY ok;
  --%IVC q;
tel;
"""


def names_of(text: str) -> Names:
    found = scope.symbols(parse.parse(SourceText("test", text)).tree, text)
    return Names("lustre", found.declared, found.uses, {})


def check_leads(text: str, use: str, expected: str) -> None:
    """Check that the place marked by `|` leads to a declaration, told as `kind container.name`."""
    before, after = use.split("|")
    offset = text.index(before + after) + len(before)
    found = names_of(text).at(offset)
    assert found is not None
    _, declared = found
    assert expected == f"{declared.kind.value} {declared.container}.{declared.text}"


def test_a_variable_leads_to_its_declaration() -> None:
    check_leads(FILE, "q = p{x := |x}", "local move.x")
    check_leads(FILE, "|q = move(", "local main.q")
    check_leads(FILE, "--%IVC |q", "local main.q")
    check_leads(FILE, "--%PROPERTY |ok", "output main.ok")
    check_leads(FILE, "if |c = RED", "input move.c")


def test_a_field_leads_to_its_type() -> None:
    check_leads(FILE, "then p.|x", "field point.x")
    check_leads(FILE, "q = p{|x := x}", "field point.x")
    check_leads(FILE, "else HOME.|x;", "field point.x")
    check_leads(FILE, "l.via[1].|x", "field point.x")
    check_leads(FILE, "move(q, RED).|x", "field point.x")
    check_leads(FILE, "move(l.|from", "field line.from")
    check_leads(FILE, "{x = 0; |near = true}", "field point.near")


def test_global_names_lead_to_their_declarations() -> None:
    check_leads(FILE, "c = |RED then", "enumeration value color.RED")
    check_leads(FILE, "else |HOME.x", "constant .HOME")
    check_leads(FILE, "and |far(q)", "function .far")
    check_leads(FILE, "q = |move(", "component .move")
    check_leads(FILE, "HOME = |point {", "type .point")
    check_leads(FILE, "via: |point[2]", "type .point")


def test_all_uses_of_a_name_are_found() -> None:
    found = names_of(FILE)
    local = next(d for d in found.declared if d.text == "x" and d.kind is NameKind.LOCAL)

    assert [True, False] == [use.is_write for use in found.uses_of(local)]


def test_a_broken_statement_hides_only_its_own_names() -> None:
    broken = FILE.replace("q = p{x := x};", "q = p{x := ;").replace("node main(", "node main)(")

    check_leads(broken, "if |c = RED", "input move.c")
    check_leads(broken, "|q = move(", "local ?.q")
