"""Make z3 look for its shared library beside its own files first.

By default it looks in the current folder first, and would run what is there. Import this before z3.
"""

from __future__ import annotations

import builtins
import os
import sys
from importlib.util import find_spec

__all__: list[str] = []


def _folders() -> list[str]:
    """Return the folders in which z3 looks for its library, without the current folder."""
    found = find_spec("z3")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    inner = [os.path.join(place, "lib") for place in places]
    return [*places, *inner, os.path.join(sys.prefix, "lib")]


# z3 reads this variable.
builtins.Z3_LIB_DIRS = _folders()  # type: ignore[attr-defined]
