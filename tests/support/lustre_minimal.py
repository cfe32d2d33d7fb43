"""Make a Lustre text on which something happens smaller, as long as it still happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from support.tree_lustre_text import Tree, read

LITERALS = ("true", "0", "RED")
TRIES = 150


def minimal(text: str, happens: Callable[[str], bool], tries: int = TRIES) -> str:
    """Return a text with statements left out and expressions replaced by parts of them."""
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(text):
            if tries == 0:
                return text
            tries -= 1
            if happens(smaller):
                text, progress = smaller, True
                break
    return text


def _smaller(text: str) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.lstrip().startswith(("assert", "--%PROPERTY", "function")):
            yield "".join(lines[:number] + lines[number + 1 :])
    for node in read(text).nodes.values():
        for _, body in node.equations:
            for start, end, instead in _replacements(body, text):
                yield text[:start] + instead + text[end:]


def _replacements(root: Tree, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what may stand for parts of an expression, the largest parts first."""
    parts = [root]
    for tree in parts:
        parts.extend(tree.args)
    for tree in parts:
        written = text[tree.start : tree.end]
        for instead in (*(text[arg.start : arg.end] for arg in tree.args), *LITERALS):
            if len(instead) < len(written):
                yield tree.start, tree.end, instead
