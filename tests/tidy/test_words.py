"""Every word that reports and editors show as a verdict, its reason or its rule is explained."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest

import mutproof
from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.analyses.mutation.suppress import SuppressionFault
from mutproof.analyses.suites.suite import SuiteFate
from mutproof.cli.topics import explained, topics
from mutproof.reporters.point import PROPERTY_RULES
from mutproof.solving.engines import ENGINES

PACKAGE = Path(mutproof.__path__[0])
KNOWN = {topic.name for topic in topics()}
WORDS: tuple[type[Enum], ...] = (PropertyVerdict, MutantStatus, EquivalenceStatus, SuiteFate)
WAYS = {"HOW", "DIAGRAMS", "KEPT"}
"""Constants that say how a verdict was found."""


def ways() -> Iterator[str]:
    """Yield the words for how verdicts were found that stand in the code."""
    for path in sorted((PACKAGE / "analyses").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(word))):
                    if name in WAYS:
                        yield word
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=str(word))):
                    if name in WAYS:
                        yield word
                case ast.keyword(arg="how", value=ast.Constant(value=str(word))):
                    yield word


def rules() -> Iterator[str]:
    """Yield the codes of problems in editors that stand in the code."""
    for path in sorted((PACKAGE / "ide").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="Problem"),
                    args=[_, _, ast.Constant(value=str(code)), *_],
                ):
                    yield code
    yield from (fault.value for fault in SuppressionFault)


def test_the_code_has_words_for_how_verdicts_were_found() -> None:
    assert {"simulation", "replay", "bdd", "core", "certificate", "exploration"} <= set(ways())
    assert {"falsified", "unneeded", "unused-suppression"} <= set(rules())


@pytest.mark.parametrize("word", sorted(word for word in ways() if word.count(" ") < 2))
def test_how_a_verdict_was_found_is_explained(word: str) -> None:
    assert word.replace(" ", "-") in KNOWN


@pytest.mark.parametrize("word", sorted({*rules(), *PROPERTY_RULES}))
def test_a_rule_is_explained(word: str) -> None:
    assert word in KNOWN


@pytest.mark.parametrize("word", sorted({one.value for words in WORDS for one in words}))
def test_a_verdict_is_explained(word: str) -> None:
    assert word in KNOWN


@pytest.mark.parametrize("word", ENGINES.names())
def test_an_engine_is_explained(word: str) -> None:
    texts = [explained(topic) for topic in topics() if topic.name == word]
    assert any("(engine)" in text for text in texts)


OF_EACH_LANGUAGE = {"Builder", "Chunk", "ChunkKind", "Expression"}
"""What each language has in its folder, for trees of its own."""


def test_one_name_is_one_class() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        folder = "/".join(path.relative_to(PACKAGE).parts[:2])
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(folder)
    twice = {name: folders for name, folders in places.items() if len(folders) > 1}
    assert len(places) > 500
    assert twice.keys() == OF_EACH_LANGUAGE
    for folders in twice.values():
        assert all(folder.startswith("languages/") for folder in folders)
        assert len(set(folders)) == len(folders)
