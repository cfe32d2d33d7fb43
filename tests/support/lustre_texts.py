"""Lustre models that several tests ask something of."""

from __future__ import annotations

CONTRADICTING = """\
node main(x: int) returns (ok: bool);
let
  assert x > 5;
  assert true -> pre x < 3;
  ok = x > 5;
  --%PROPERTY ok;
tel;
"""
"""Assertions that no execution of more than one step satisfies."""

HOLD = """\
node hold(x: bool) returns (y: bool);
let
  y = x -> (x or pre y);
tel;

node top(a, b: bool) returns (p, q: bool);
var u, v, w: bool;
let
  u = hold(a);
  v = hold(b);
  w = hold(a or a) or v;
  p = u => w;
  q = v => (w or u);
  assert a or b;
  --%PROPERTY p;
  --%PROPERTY q;
tel;
"""
"""Two properties that need calls of one node, in different ways."""
