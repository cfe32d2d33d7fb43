"""Digests are shown shortened, and nothing is decided by what is shown."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.mutation import enumerate as enumeration
from mutproof.base.digest import digest_text, shortened
from mutproof.languages.nusmv import properties
from mutproof.model import program as programs
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.findings import Report
from support.lustre_models import Model, accepted, models, operator_edit, sources
from support.lustre_mutants import options, program_of, report
from support.profiles import profile
from support.reading import elaborated_in

ALIKE = """\
node main(x, y: int) returns (s: int; ok: bool);
let
  assert x <= 4393;
  assert y <= 1771;
  s = x + 1;
  ok = s <= 4394;
  --%PROPERTY ok;
tel
"""
"""The digests of the two assertions begin with the same 24 bits."""

MEMORIES = """\
node main(x: int) returns (ok: bool);
let
  ok = true -> pre (261350 -> x) = pre (2023639 -> x);
  --%PROPERTY ok;
tel
"""
"""The digests of what is remembered begin with the same 40 bits."""


@contextmanager
def shown_with(digits: int) -> Iterator[None]:
    """Show no more of a digest than needed, from so many hexadecimal digits on."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (enumeration, programs, properties):
            patch.setattr(module, "LEAST_DIGITS", digits)
        yield


def without_times(found: Report) -> tuple[object, ...]:
    """Return what was decided, whoever was first to see it."""
    stated = [(p.name, p.verdict, p.core, p.must) for p in found.properties]
    return stated, [(m.mutant, m.status, sorted(m.killed_by)) for m in found.mutants]


def test_assertions_with_alike_digests_are_two() -> None:
    elaborated = accepted(ALIKE)
    program = program_of(elaborated)
    found = report(elaborated, options("all", cores=True))

    first, second, s, ok = (element.id for element in program.elements())
    assert [(first, s)] == [p.core for p in found.properties]
    assert [(first, s)] == [p.must for p in found.properties]
    assert ["assert#4ef0331", "assert#4ef0333"] == [program.shown(e) for e in (first, second)]
    removed = {m.element for m in enumerate_mutants(elaborated, options("all"))}
    assert {first, second, s} == removed
    assert ok not in removed


def test_memories_with_alike_digests_are_two() -> None:
    found = report(accepted(MEMORIES), options(mutate=False))

    assert [PropertyVerdict.FALSIFIED] == [p.verdict for p in found.properties]


@profile(20)
@given(models(), sources())
def test_verdicts_are_the_same_however_little_is_shown(model: Model, source: random.Random) -> None:
    chosen = options("all", cores=True)
    for _ in range(2):
        elaborated = accepted(model.text)
        usual = without_times(report(elaborated, chosen))
        with shown_with(2):
            short = without_times(report(accepted(model.text), chosen))
            mutants = enumerate_mutants(accepted(model.text), chosen)

            assert len(mutants) == len({mutant.shown for mutant in mutants})
            assert all(mutant.id.startswith(mutant.shown) for mutant in mutants)
        assert usual == short
        model = operator_edit(source, model)


def test_long_properties_that_are_cut_alike_have_names_of_their_own() -> None:
    stated = [f"INVARSPEC {' & '.join(['x'] * 40)} | y = {number}" for number in range(60)]
    text = "MODULE main\nVAR x : boolean; y : 0..99;\n" + "\n".join(stated) + "\n"
    with shown_with(1):
        found = elaborated_in("nusmv", text)

    names = [stated.name for stated in program_of(found).component("main").properties]
    assert 60 == len(set(names))
    assert not any(name.count("#") > 1 for name in names)


@given(st.lists(st.integers(0, 999), min_size=1), st.integers(1, 4))
def test_beginnings_tell_digests_apart(numbers: list[int], least: int) -> None:
    names = [digest_text(str(number)).hex() for number in numbers]
    found = shortened(names, least)

    assert set(names) == set(found)
    assert len(found) == len(set(found.values()))
    for name, shown in found.items():
        assert name.startswith(shown)
        assert len(shown) >= least
        others = [other for other in found if other != name]
        assert len(shown) == least or any(other.startswith(shown[:-1]) for other in others)
