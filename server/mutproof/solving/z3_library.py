"""How z3 is imported: its shared library from beside its own files, and only the C interface.

By default it looks for the library in the current folder first, and would run what is there. Its
Python classes take as long to import as the C interface, and nothing here uses them.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec

__all__ = ["without_classes"]


@contextmanager
def without_classes() -> Iterator[None]:
    """Have imports of z3's modules, inside, not import what the package imports by itself.

    Whoever imports the package afterwards gets all of it.
    """
    found = find_spec("z3") if "z3" not in sys.modules else None
    if found is not None:
        sys.modules["z3"] = module_from_spec(found)
    try:
        yield
    finally:
        if found is not None:
            del sys.modules["z3"]


def _folders() -> list[str]:
    """Return the folders in which z3 looks for its library, without the current folder."""
    found = find_spec("z3")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    inner = [os.path.join(place, "lib") for place in places]
    return [*places, *inner, os.path.join(sys.prefix, "lib")]


# z3 reads this variable.
builtins.Z3_LIB_DIRS = _folders()  # type: ignore[attr-defined]
