"""Lustre programs and cores as the published tool sees them: JKind 4.6 after inlining.

There, a call with the arguments of an earlier one is the earlier one, an argument of a call is
an equation, a record is its fields, and assertions are always kept.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import CoresFinding
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.claims.reduction import KnownReductions
from mutproof.analyses.cores.cores import CoreLimits, CoreProof, Cores
from mutproof.analyses.proving import proofs as proving
from mutproof.base.budget import Budget
from mutproof.model import walk
from mutproof.model.instances import child_prefix
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.passes.inline import inlined
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    ElementKind,
    Program,
    VariableKind,
)
from mutproof.model.terms import Site, Term
from mutproof.solving.spacer_process import SpacerProcess

Sets = set[frozenset[str]]


def published_form(program: Program) -> Program:
    """Return the program inlined, with the names that JKind's `InlineNodeCalls` gives."""
    prefixes = _prefixes(program)
    split = inlined(program).program

    def renamed(name: str) -> str:
        end = name.rfind(".")
        while end >= 0:
            if name[: end + 1] in prefixes:
                return prefixes[name[: end + 1]] + name[end + 1 :]
            end = name.rfind(".", 0, end)
        return name

    memo: dict[Term, Term] = {}
    main = split.component(split.main)
    elements: dict[ElementId, Element] = {}
    for element in main.elements:
        targets = tuple(map(renamed, element.targets))
        name = ElementId(main.name, element.id.kind, ",".join(targets) or element.id.name)
        body = walk.renamed(element.body, renamed, memo)
        elements.setdefault(name, replace(element, id=name, targets=targets, body=body))
    variables = {renamed(v.name): replace(v, name=renamed(v.name)) for v in main.variables}
    stated = {
        renamed(p.name): replace(p, name=renamed(p.name), term=walk.renamed(p.term, renamed, memo))
        for p in main.properties
    }
    joined = replace(
        main,
        variables=tuple(variables.values()),
        elements=tuple(elements.values()),
        properties=tuple(stated.values()),
    )
    components = tuple(joined if c.name == main.name else c for c in split.components)
    return Program(split.traits, components, split.main, split.functions)


def all_cores_of(program: Program, stated: str, seconds: float) -> CoresFinding | None:
    """Return the minimal cores of a property; None where it is not proved."""
    spacer = SpacerProcess()
    means = Means(Budget(timeout_s=60), spacer, Benches(), lambda: None)
    meaning = interpretation(program)
    system = meaning.system()
    try:
        proofs = proving.prove(
            meaning, system, ProofMemory(), means, emit=lambda _: None, only=(stated,)
        )
        if stated not in proofs.holds:
            return None
        cores = Cores(meaning, system, means, KnownReductions())
        proof = CoreProof(stated, proofs.holds[stated], proofs.cores[stated])
        ((_, found),) = cores.of([proof], CoreLimits(seconds=seconds))
        return found
    finally:
        spacer.close()


def our_names(elements: Iterable[ElementId]) -> frozenset[str]:
    """Return left-hand sides; assertions are no elements of the reference."""
    return frozenset(e.name for e in elements if e.kind == "equation")


def their_names(names: Iterable[str], stated: str) -> frozenset[str]:
    """Return left-hand sides without fields, and without the property's own equation."""
    whole = (re.match(r"(?:.*~\d+\.)?[^.]*", name) for name in names)
    return frozenset(found.group() for found in whole if found) - {stated}


def least(sets: Iterable[frozenset[str]]) -> Sets:
    """Return the sets that contain no other."""
    found = set(sets)
    return {one for one in found if not any(other < one for other in found)}


def _prefixes(program: Program) -> dict[str, str]:
    """Return JKind's name of every instance, by ours; breadth first, assertions before."""
    found: dict[str, str] = {}
    used: dict[str, int] = {}
    shared: dict[Hashable, str] = {}
    queue: deque[tuple[Term, str, str, Element]] = deque()

    def enter(body: Term, ours: str, theirs: str, element: Element) -> None:
        for call in _outermost_calls(body):
            site: Any = call.payload
            assert isinstance(site, Site)
            callee = program.component(site.component)
            kind = theirs + site.component
            key = (kind, *(_shape(argument, theirs) for argument in call.args))
            if key not in shared:
                used[kind] = used.get(kind, -1) + 1
                shared[key] = f"{kind}~{used[kind]}."
            prefix = child_prefix(ours, element, site)
            found[prefix] = shared[key]
            inputs = callee.of_kind(VariableKind.INPUT)
            queue.extend(
                (argument, ours, theirs, element)
                for _, argument in zip(inputs, call.args, strict=True)
            )
            queue.extend((e.body, prefix, shared[key], e) for e in _equations(callee))

    main = program.component(program.main)
    for element in main.elements:
        if element.kind is ElementKind.ASSERT:
            enter(element.body, "", "", element)
    queue.extend((e.body, "", "", e) for e in _equations(main))
    while queue:
        enter(*queue.popleft())
    return found


def _equations(component: Component) -> list[Element]:
    return [e for e in component.elements if e.kind is not ElementKind.ASSERT]


def _outermost_calls(body: Term) -> Iterator[Term]:
    """Yield the calls of a body from left to right; those in arguments come later."""
    stack = [body]
    while stack:
        term = stack.pop()
        if term.op is Op.CALL:
            yield term
        else:
            stack.extend(reversed(term.args))


def _shape(root: Term, prefix: str) -> Hashable:
    """Return what two equal arguments have in common: all but the numbers of their calls."""

    def combine(term: Term, args: tuple[Hashable, ...]) -> Hashable:
        payload: Any = term.payload
        if term.op is Op.VAR:
            return prefix + str(payload)
        return (term.op, payload.component if isinstance(payload, Site) else repr(payload), *args)

    return walk.fold(root, combine)
