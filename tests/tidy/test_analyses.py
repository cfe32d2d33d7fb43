"""Analyses keep apart: folders are layers, rungs know no other rung, and classes are small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "server" / "mutproof"
ANALYSES = PACKAGE / "analyses"
RUNGS = "mutproof.analyses.deciding.rungs"
MODULES = sorted(ANALYSES.rglob("*.py"))

MOST_LEVELS = 7
MOST_METHODS = 15
MOST_ATTRIBUTES = 12


def imported(path: Path) -> Iterator[str]:
    """Yield the modules that a module imports, and what it imports of them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def inner(path: Path) -> set[str]:
    """Return the modules of analyses that a module imports, without the prefix of the package."""
    prefix = "mutproof.analyses."
    names = {name.removeprefix(prefix) for name in imported(path) if name.startswith(prefix)}
    known = {name_of(module) for module in MODULES}
    return {name if name in known else name.rpartition(".")[0] for name in names} - {name_of(path)}


def name_of(path: Path) -> str:
    parts = path.relative_to(ANALYSES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def height(graph: dict[str, set[str]]) -> int:
    """Return the number of levels of a graph; raises `CycleError` if there is a circle."""
    levels: dict[str, int] = {}
    for node in TopologicalSorter(graph).static_order():
        levels[node] = 1 + max((levels[below] for below in graph.get(node, ())), default=0)
    return max(levels.values())


def test_folders_are_few_layers() -> None:
    folders: dict[str, set[str]] = {}
    for path in MODULES:
        folder = name_of(path).partition(".")[0]
        below = {name.partition(".")[0] for name in inner(path)}
        folders.setdefault(folder, set()).update(below - {folder})
    assert len(folders) > 5
    assert height(folders) <= MOST_LEVELS


FOLDERS = sorted(path.name for path in ANALYSES.iterdir() if (path / "__init__.py").exists())


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_of_a_folder_are_few_layers(folder: str) -> None:
    files = {name_of(path): inner(path) for path in MODULES if ANALYSES / folder in path.parents}
    graph = {name: below & set(files) for name, below in files.items()}
    assert height(graph) <= MOST_LEVELS


def who_imports_rungs() -> set[str]:
    return {
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        if any(name.startswith(RUNGS) for name in imported(path))
    }


def test_only_strategies_import_rungs() -> None:
    strategies = {"default", "push_pop", "restart"}
    expected = {f"analyses/strategies/{name}.py" for name in strategies}
    assert expected == who_imports_rungs()


@pytest.mark.parametrize("path", sorted((ANALYSES / "deciding" / "rungs").glob("*.py")), ids=str)
def test_a_rung_makes_no_evidence_and_emits_nothing(path: Path) -> None:
    names = {name.rpartition(".")[2] for name in imported(path)}
    assert names.isdisjoint({"Closing", "Ladder", "Notary", "MutantFinding", "check", "carried"})


def classes() -> Iterator[tuple[str, int, int]]:
    """Yield the classes of analyses that change, and how many methods and attributes they have."""
    for path in MODULES:
        module = ".".join(path.relative_to(ANALYSES).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not is_record(node):
                methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
                yield f"{module}.{node.name}", len(methods), len(attributes(node, methods))


def is_record(node: ast.ClassDef) -> bool:
    """Tell whether a class only holds values, however many: its instances are frozen."""
    return any("frozen=True" in ast.unparse(decorator) for decorator in node.decorator_list)


def attributes(node: ast.ClassDef, methods: list[ast.FunctionDef]) -> set[str]:
    """Return the attributes that a class declares or that its methods set on themselves."""
    found = {
        part.target.id
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }
    for part in (part for method in methods for part in ast.walk(method)):
        if isinstance(part, ast.Assign | ast.AnnAssign):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            flat = [t for target in targets for t in getattr(target, "elts", [target])]
            found |= {
                t.attr
                for t in flat
                if isinstance(t, ast.Attribute)
                and isinstance(t.value, ast.Name)
                and t.value.id == "self"
            }
    return found


def test_classes_are_small() -> None:
    large = [
        name
        for name, methods, held in classes()
        if methods > MOST_METHODS or held > MOST_ATTRIBUTES
    ]
    assert [] == large


def test_nothing_is_known_by_an_address() -> None:
    """Another object may have it later: digests, else `ByIdentity`, which keeps its objects."""
    found = [
        f"{module.name}:{node.lineno}"
        for module in (*MODULES, *(PACKAGE / "workspace").rglob("*.py"))
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "id"
    ]
    assert not found
