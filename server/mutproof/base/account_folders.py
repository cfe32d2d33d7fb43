"""The folders of this account: that of caches, and that of what should outlive them.

`platformdirs` knows those of every platform, but to import it takes a tenth of what it takes to
recall the proof of a small model. So the usual folders of Linux, those of the XDG Base Directory
Specification, are named here.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_NAME: Final = "mutproof"


def of_cache() -> Path:
    """Return the folder for what can be computed again."""
    usual = _usual("XDG_CACHE_HOME", ".cache")
    if usual is not None:
        return Path(usual)
    import platformdirs

    return Path(platformdirs.user_cache_dir(_NAME, appauthor=False))


def of_state() -> Path:
    """Return the folder for what is to be kept between runs."""
    usual = _usual("XDG_STATE_HOME", ".local/state")
    if usual is not None:
        return Path(usual)
    import platformdirs

    return Path(platformdirs.user_state_dir(_NAME, appauthor=False))


def _usual(variable: str, below_home: str) -> str | None:
    """Return the folder that a variable names, else one in `HOME`; None if neither is absolute."""
    if sys.platform != "linux" or "ANDROID_DATA" in os.environ:
        return None
    named, home = os.environ.get(variable, ""), os.environ.get("HOME", "")
    if not os.path.isabs(named):
        if not os.path.isabs(home):
            return None
        named = f"{home.rstrip('/')}/{below_home}"
    return os.path.join(named, _NAME)
