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
    """Return the folders that z3 would look in, without the current one."""
    found = find_spec("z3")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    inner = [os.path.join(place, "lib") for place in places]
    return [*places, *inner, os.path.join(sys.prefix, "lib")]


# The name and the meaning of this variable are those of z3.
builtins.Z3_LIB_DIRS = _folders()  # type: ignore[attr-defined]
