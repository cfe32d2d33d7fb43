"""What diagrams load: not what `dd` draws them with, which takes longer than most proofs."""

from __future__ import annotations

import subprocess
import sys

MADE = """
import sys
from mutproof.base.budget import Deadline
from mutproof.solving.bdd.manager import Manager
Manager(Deadline.never())
assert "networkx" not in sys.modules
import networkx
assert networkx.MultiDiGraph
Manager(Deadline.never())
assert sys.modules["networkx"] is networkx
"""


def test_diagrams_load_no_library_for_drawing_and_hide_none() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", MADE], capture_output=True, text=True, check=False
    )
    assert (0, "") == (ended.returncode, ended.stderr)
