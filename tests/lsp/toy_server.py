"""A language server for the toy language of `toy.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import toy

from mutproof.lsp import server
from mutproof.runtime.pool import Pool
from mutproof.workspace.queries import Queries

if __name__ == "__main__":
    pool = Pool((sys.executable, toy.__file__))
    server.serve(server.Transport(), lambda: server.make(pool, Queries(toy.LANGUAGES)))
