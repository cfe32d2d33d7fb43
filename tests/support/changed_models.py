"""A model of two halves: what changes in one concerns nothing in the other."""

HALVES = """\
node main (a, b : bool; n : int) returns (x, y : int; ok, fine : bool);
let
  x = (0 -> pre x) + (if a then 1 else 0);
  ok = x >= 0;
  y = if b and n > 3 then n else 4;
  fine = y > 2;
  --%PROPERTY ok;
  --%PROPERTY fine;
tel;
"""
