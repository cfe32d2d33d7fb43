"""Advice on random small Lustre models is what visiting all their states says."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from mutproof.analyses.advising.advice import Advice, AdviceStatus
from mutproof.analyses.advising.advise import advise
from mutproof.analyses.advising.meta_properties import META_PROPERTIES
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.base.budget import Budget
from mutproof.model.language import Elaborated
from mutproof.model.program import Role
from mutproof.model.roles import roles
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.advice_places import advice_span
from mutproof.workspace.advising import subject_of
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.lustre_finite import finite_text
from support.lustre_models import accepted
from support.reading import analysed
from support.tree_lustre import Places
from support.tree_lustre_advice import TooManyStatesError, holds, leaves, questions, visits
from support.tree_lustre_replay import names
from support.tree_lustre_text import read

ASKED = tuple(name for name in META_PROPERTIES.names() if name not in {"MP9", "MP10"})
Found = Counter[tuple[str, object, str, tuple[str, ...]]]


def expected(found: Elaborated, text: str) -> Found | None:
    """Return what all states say; None if there is none."""
    assert found.program is not None
    model = read(text)
    places = Places(model)
    design: dict[str, set[str]] = {}
    known = roles(found.program)
    for component in found.program.components:
        design[component.name] = {
            target
            for element in component.elements
            if known[element.id] is Role.DESIGN
            for target in element.targets
        }
    asked = [
        (prefix, place.node.name, question)
        for prefix, place in names(found, places).of.items()
        for question in questions(model, place, design[place.node.name])
    ]
    visited = 0
    for run, step in visits(model, places):
        visited += 1
        for _, _, question in asked:
            question.visit(run, step)
    if not visited:
        return None
    instances: dict[tuple[str, object, str], dict[str, object]] = {}
    for prefix, node, question in asked:
        instances.setdefault((*question.said, node), {})[prefix] = question.finding
    return Counter(
        (*said, () if {*of.values()} == {one} else tuple(sorted(p for p in of if of[p] == one)))
        for said, of in instances.items()
        for one in {*of.values()} - {None}
    )


def about(found: Elaborated, one: Advice) -> tuple[str, object, str, tuple[str, ...]]:
    where: object = one.variable
    component = one.component
    if one.element is not None:
        where, component = advice_span(found, one).start, one.element.component
    return one.meta_property, where, component, tuple(sorted(one.instances))


@pytest.mark.parametrize("block", range(4))
def test_all_states_give_the_same_advice(block: int) -> None:
    compared: Counter[str] = Counter()
    for seed in range(20 * block, 20 * (block + 1)):
        text = finite_text(random.Random(f"states {seed}"))
        found = accepted(text)
        assert found.program is not None
        try:
            wanted = expected(found, text)
        except TooManyStatesError:
            continue
        if wanted is None:
            continue
        means = Means(Budget(30_000_000, 10.0), SpacerProcess(), Memory().benches, lambda: None)
        advice = advise(subject_of(found, found.program, {}), ASKED, means, restated=True)
        means.spacer.rest()
        assert not advice.of(AdviceStatus.UNKNOWN), text
        said = Counter(about(found, one) for one in advice.advice)
        assert wanted == said, f"seed {seed}\n{text}"
        compared.update(name for name, *_ in said.elements())
    assert {"MP1", "MP2", "MP6", "MP7", "MP8", "constant-operand", "idle-arrow"} <= compared.keys()


@pytest.mark.parametrize("block", range(2))
def test_all_states_find_the_same_properties_false_or_vacuous(block: int) -> None:
    compared: Counter[str] = Counter()
    for seed in range(60 * block, 60 * (block + 1)):
        text = finite_text(random.Random(f"stated {seed}"))
        found = accepted(text)
        options = Options(mutate=False, cores=False, advise=("MP9", "MP10"))
        report = analysed(found, options)
        assert report.advice is not None
        if not report.properties:
            continue  # there is no first state
        (finding,) = report.properties
        said = {one.meta_property: one.status for one in report.advice.advice}
        assert AdviceStatus.UNKNOWN not in said.values() or finding.vacuity
        model = read(text)
        try:
            is_true = holds(model, Places(model))
            assert is_true != ("MP9" in said), text
            if finding.verdict is not PropertyVerdict.PROVED or finding.vacuity:
                compared["false"] += not is_true
                continue
            vacuous = stays_true(text)
        except TooManyStatesError:
            continue
        assert vacuous == ("MP10" in said), f"seed {seed}\n{text}"
        compared["vacuous" if vacuous else "says something"] += 1
    assert {"false", "vacuous", "says something"} == compared.keys()


def stays_true(text: str) -> bool:
    """Tell whether the property is true whatever some part of it is."""
    ((_, body),) = [one for one in read(text).nodes["main"].equations if one[0] == ["ok"]]
    for leaf, constants in leaves(body):
        changed = [f"{text[: leaf.start]}({one}){text[leaf.end :]}" for one in constants]
        if all(holds(model, Places(model)) for model in map(read, changed)):
            return True
    return False
