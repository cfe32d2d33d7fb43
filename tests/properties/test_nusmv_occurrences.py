"""A mutation of a module's element means the same in all its instances."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model import terms, walk
from mutproof.model.occurrences import translated
from mutproof.model.operators import Op
from mutproof.model.terms import Term
from support.nusmv_mutants import mutants_of, mutated_text, normal
from support.nusmv_terms import elaborated

TEXT = """\
MODULE part(p, q)
VAR
  v : boolean;
  w : boolean;
ASSIGN
  next(v) := {};

MODULE main
VAR
  a : boolean;
  b : boolean;
  one : part(a, b = one.v);
  two : part(b, one.w);
"""
PROFILE = settings(
    max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
formulas = st.recursive(
    st.sampled_from(["v", "w", "p", "q"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from(["&", "|", "->"]), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        )
        | inner.map(lambda part: f"(!{part})")
    ),
    max_leaves=8,
)


def mutants(term: Term) -> list[Term]:
    """Return some changes of a term: another operator, either side, the negation."""
    found = [terms.not_(term)]
    if term.op in {Op.AND, Op.OR, Op.IMPLIES}:
        found += [terms.make(Op.XOR, term.sort, term.args), *term.args]
    return found


@PROFILE
@given(formulas, st.data())
def test_a_mutant_of_one_instance_is_the_source_mutant_in_the_other(
    text: str, data: st.DataObject
) -> None:
    whole = TEXT.replace("{}", text)
    found = elaborated(whole)
    assert found.program is not None
    first, second = found.program.component("main").elements
    places = found.provenance.elements[first.id]
    located = [(p, t) for p, t in walk.occurrences(first.body) if places.place(p) is not None]
    path, old = data.draw(st.sampled_from(located))
    new = data.draw(st.sampled_from(mutants(old)))
    place = places.place(path)
    assert place is not None

    pasted = LANGUAGE.replacement(places.terms, first, path, new)
    again = elaborated(whole[: place.whole.start] + pasted + whole[place.whole.end :])

    assert again.program is not None, pasted
    expected = [element.body for element in again.program.component("main").elements]
    assert expected == [
        terms.replaced(first.body, path, new),
        terms.replaced(second.body, path, translated(new, path, first, second)),
    ]


INSTANCES = """\
MODULE part(p, other, n)
VAR
  v : boolean;
  a : array 0..1 of 0..3;
DEFINE
  d := v & p;
ASSIGN
  init(a[0]) := n;
  next(v) := p | other.v & !d;
  next(a[0]) := case v : a[1]; other.a[0] = n : a[0]; TRUE : {0, n}; esac;
TRANS next(v) -> a[1] < 2 | p;

MODULE main
VAR
  b : boolean;
  c : boolean;
"""
DECLARED = ["  one : part(b, two, 1);", "  two : part(c, one, 2);"]


def named(*instances: str) -> list[str]:
    """Return the identities of the mutants of the module, of which there are instances."""
    found = elaborated(INSTANCES + "\n".join(instances) + "\n")
    return [one.id for one in mutants_of(found) if one.element.component == "part"]


def test_the_identity_of_a_mutant_does_not_depend_on_the_instances() -> None:
    known = named(*DECLARED)
    assert len(known) == len(set(known)) > 60
    others = {
        "order": reversed(DECLARED),
        "arguments": [DECLARED[0].replace("b,", "b -> c,"), DECLARED[1]],
        "names": [line.replace("one", "first") for line in DECLARED],
        "one more": ["  more : part(!b, one, 3);", *DECLARED],
    }
    for change, instances in others.items():
        assert named(*instances) == known, change


BOUND = ["s > 2", "s = 0", "s < 2", "t > 2", "t = 0", "b", "!b", "s + 1 > 2"]
NUMBERS = ["s", "t", "2", "0", "s + 1", "t + 2"]


def bound_to_expressions(source: random.Random) -> str:
    """Return a random model whose instances of a module have expressions as parameters."""

    def number() -> str:
        return source.choice(["k", "k", "n", "0", "1", "2", "k + 1", "n + 1"])

    def condition(depth: int = 0) -> str:
        if depth > 1 or source.random() < 0.5:
            return f"{number()} {source.choice(['>', '>=', '=', '<'])} {number()}"
        if source.random() < 0.5:
            return source.choice("pqf")
        sides = condition(depth + 1), condition(depth + 1)
        return f"({sides[0]} {source.choice(['&', '|', 'xor'])} {sides[1]})"

    values = ["k", "0", "1", "2", "{0, 2}", "(k + 1) mod 3", "(n + k) mod 3"]
    rows = [f"{condition()} : {source.choice(values)};" for _ in range(source.randint(2, 5))]
    parts = [
        f"  {name} : cell({', '.join(map(source.choice, (BOUND, BOUND, NUMBERS)))});"
        for name in ("one", "two", "more")
    ]
    return "\n".join(
        [
            "MODULE cell(p, q, n)",
            "VAR k : 0..2; f : boolean;",
            "ASSIGN",
            f"  next(k) := case {' '.join(rows)} TRUE : k; esac;",
            f"  next(f) := {condition()};",
            "MODULE main",
            "VAR s : 0..5; t : 0..5; b : boolean;",
            *parts,
        ]
    )


@pytest.mark.parametrize("seed", [7, 13, 27, 52, 63, 75, 77, 95, 99, 100, 112, 122])
def test_a_mutant_is_what_its_text_says_in_each_instance(seed: int) -> None:
    """What parameters stand for has numbers and names in common with what the module writes."""
    found = elaborated(bound_to_expressions(random.Random(seed)))
    assert found.program is not None
    compared = 0
    for mutant in mutants_of(found, "all"):
        again = elaborated(mutated_text(found, mutant)).program
        if again is None or mutant.element.component != "cell":
            continue  # such as a set as a condition
        stated = {(one.id, one.targets): one.body for one in again.component("main").elements}
        for element, body in mutated_bodies(found.program, mutant).items():
            if body is None:
                continue  # it is removed
            assert normal(stated[element.id, element.targets]) is normal(body), mutant.summary
            compared += 1
    assert compared > 50
