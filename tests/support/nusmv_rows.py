"""Rows of NuSMV modules, in which what happens passes from one to the next."""

from __future__ import annotations


def row(size: int, stated: str) -> str:
    """Return cells that are on some steps after those before them; each states the same."""
    cells = [f"c{n} : cell({f'c{n - 1}.on' if n else 'go'});\n" for n in range(size)]
    return (
        "MODULE cell(before)\nVAR n : 0..7; on : boolean;\nASSIGN\n  init(n) := 0;\n"
        "  next(n) := case before & n < 5 : n + 1; !before : 0; TRUE : n; esac;\n"
        "  init(on) := FALSE;\n  next(on) := n >= 3;\n"
        f"{stated}\nMODULE main\nVAR go : boolean;\n{''.join(cells)}"
    )
