"""From the tree of a file to its program: names, types, one component for every node.

The meaning of a declaration is cached by its tree and by the meaning of its names, so after an edit
only what it affects is elaborated again.

Source: JKind, StaticAnalyzer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.digraph import cycles, reached
from mutproof.base.giving_way import by_steps
from mutproof.base.span import Span
from mutproof.languages.lustre import declarations, errors, nodes, warnings
from mutproof.languages.lustre.declarations import Globals
from mutproof.languages.lustre.nodes import NodeMeaning
from mutproof.languages.lustre.syntax import FileTree, MainPragma, NodeTree
from mutproof.languages.lustre.traits import TRAITS
from mutproof.model import causality, instances, loops
from mutproof.model.language import Elaborated, Parsed
from mutproof.model.program import ElementId, Program
from mutproof.model.provenance import ElementPlaces, Provenance


def elaborate(parsed: Parsed) -> Elaborated:
    """Elaborate a tree: its program, the places of its parts, and all diagnostics."""
    tree: FileTree = parsed.tree
    diagnostics: list[Diagnostic] = []
    found = declarations.globals_of(tree, diagnostics.append)
    meanings = [nodes.elaborate(node, found) for node in _nodes(tree)]
    by_name: dict[str, NodeMeaning] = {}
    for meaning in meanings:
        diagnostics.extend(meaning.diagnostics)
        if meaning.name:
            by_name.setdefault(meaning.name, meaning)
    marked = _marked(tree, meanings)
    main = _main(marked, meanings, diagnostics)
    program = _program(main, by_name, found, diagnostics) if main is not None else None
    if main is not None and program is not None and not marked:
        # The last node is the main one, which may not be what was meant.
        diagnostics.extend(_unreached(main, by_name))
    unique = dict.fromkeys((*parsed.diagnostics, *diagnostics))
    ordered = sorted(unique, key=lambda one: (one.span.start, one.span.end, one.code))
    return Elaborated(parsed, program, _provenance(meanings), tuple(ordered))


def _nodes(tree: FileTree) -> list[NodeTree]:
    return [part for part in tree.declarations if isinstance(part, NodeTree)]


def _marked(tree: FileTree, meanings: list[NodeMeaning]) -> list[tuple[NodeMeaning, Span]]:
    """Return the nodes with `--%MAIN`, with the place of each."""
    return [
        (meaning, placed.chunk.tree.span.shifted(placed.base))
        for node, meaning in zip(_nodes(tree), meanings, strict=True)
        for placed in node.statements
        if isinstance(placed.chunk.tree, MainPragma)
    ]


def _main(
    marked: list[tuple[NodeMeaning, Span]],
    meanings: list[NodeMeaning],
    diagnostics: list[Diagnostic],
) -> NodeMeaning | None:
    """Return the node with `--%MAIN`, else the last node; None if there is no node."""
    if not meanings:
        diagnostics.append(errors.no_main(Span(0, 0)))
        return None
    for meaning, span in marked[1:]:
        same = meaning is marked[0][0]
        diagnostics.append(errors.several_mains(span, marked[0][1], same_node=same))
    return marked[0][0] if marked else meanings[-1]


def _called(by_name: Mapping[str, NodeMeaning], name: str) -> list[str]:
    """Return the nodes that a node calls and that exist, in order."""
    return [called for called in by_name[name].called if called in by_name]


def _unreached(main: NodeMeaning, by_name: Mapping[str, NodeMeaning]) -> Iterator[Diagnostic]:
    """Yield the properties of nodes that are not part of the main one."""
    part = set(reached([main.name], partial(_called, by_name)))
    for name, meaning in by_name.items():
        if name not in part:
            for stated, span in meaning.property_spans.items():
                yield warnings.unreached_property(stated, name, main.name, span)


def _program(
    main: NodeMeaning,
    by_name: Mapping[str, NodeMeaning],
    found: Globals,
    diagnostics: list[Diagnostic],
) -> Program | None:
    """Return the program of the main node; None if anything that it needs is broken."""
    recursive = _report_recursion(by_name, diagnostics)
    roots = [main.name] if main.name in by_name else []
    needed = set(reached(roots, partial(_called, by_name)))
    for name in by_name:
        if name not in needed:
            continue
        if name != main.name:
            meaning = by_name[name]
            diagnostics.extend(
                warnings.assert_in_called_node(name, span) for span in meaning.asserts
            )
    broken = any(by_name[name].component is None for name in needed) or needed & recursive
    if broken or by_name.get(main.name) is not main:
        return None
    components = tuple(
        meaning.component
        for name, meaning in by_name.items()
        if name in needed and meaning.component is not None
    )
    program = Program(TRAITS, components, main.name, found.functions)
    if instances.count(program) > instances.MAX_INSTANCES:
        span = main.name_span
        diagnostics.append(errors.too_many_instances(instances.MAX_INSTANCES, span))
        return None
    if causality.check(program) is None:
        return program
    opened = loops.opened(program)
    for loop in opened.loops:
        place = by_name[loop.component].head_of(loop.variables[0])
        diagnostics.append(warnings.instantaneous_loop(loop.parts, place))
    return opened.program


def _report_recursion(
    by_name: Mapping[str, NodeMeaning], diagnostics: list[Diagnostic]
) -> set[str]:
    """Report nodes that call themselves, and return them."""
    recursive: set[str] = set()
    for cycle in cycles(by_name, partial(_called, by_name)):
        if not recursive.intersection(cycle):
            diagnostics.append(errors.recursive_node(cycle, by_name[cycle[0]].name_span))
        recursive.update(cycle)
    return recursive


def _provenance(meanings: list[NodeMeaning]) -> Provenance:
    elements: dict[ElementId, ElementPlaces] = {}
    properties: dict[str, Span] = {}
    components: dict[str, Span] = {}
    bodies: dict[str, Span] = {}
    variables: dict[tuple[str, str], Span] = {}
    statements: dict[str, Span] = {}
    for meaning in by_steps(meanings):
        if not meaning.name or meaning.name in components:
            continue
        components[meaning.name] = meaning.name_span
        bodies[meaning.name] = meaning.whole
        elements.update(meaning.places)
        for name, span in by_steps(meaning.property_spans.items()):
            properties[f"{meaning.name}.{name}"] = span
            statements[f"{meaning.name}.{name}"] = meaning.statements[name]
        for name, span in by_steps(meaning.variable_spans.items()):
            variables[meaning.name, name] = span
    return Provenance(elements, properties, components, bodies, variables, statements)
