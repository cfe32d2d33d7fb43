"""Where the repository is, and the corpus."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def corpus_folder() -> Path:
    """Return the folder of real models, which need not exist."""
    default = ROOT.parent / "shared" / "corpus"
    return Path(os.environ.get("MUTPROOF_CORPUS", default))
