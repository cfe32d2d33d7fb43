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
