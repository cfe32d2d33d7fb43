"""Certificates of rows of modules are tried on the parts of mutants that they rest on."""

from __future__ import annotations

import gc
import random
from typing import Any

import pytest
from hypothesis import given

from mutproof.analyses import strategies
from mutproof.analyses.bench import near_parts, parts
from mutproof.analyses.bench.solvers import Solvers
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.analyses.deciding.rungs import (
    certificates,
    cores,
    engines,
    neighbours,
    random_executions,
)
from mutproof.analyses.deciding.strategy import Strategy
from mutproof.analyses.proving import always_proved
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.options import Options
from support.lustre_models import sources
from support.nusmv_difference import compare
from support.nusmv_mutants import accepted
from support.nusmv_rows import row
from support.profiles import profile
from support.reading import accepted_in, analysed
from support.sieving import sieved_sizes

LASTING, LEFT, OTHERS = (
    Strategy("default", "", "", rungs)
    for rungs in (
        (certificates.LASTING,),
        (certificates.PARTS,),
        (neighbours.NEIGHBOURS, engines.ADVISED),
    )
)
CORES = Strategy("default", "", "", (cores.CORES,))
NEAR = Strategy("default", "", "", (cores.CORES, certificates.NEAR))
FAR = Strategy("default", "", "", (random_executions.FAR,))

STATED = "INVARSPEC n <= 5;"


def survivors(text: str, most: int = 0) -> set[str]:
    """Return the mutants that survive, of at most so many if a number is given."""
    options, memory = Options(cores=False, most_mutants=most), Memory()
    found = analyse(accepted(text), options, memory, lambda _: None, cancelled=lambda: False)
    return {one.mutant for one in found.mutants if one.status is MutantStatus.SURVIVED}


def test_solvers_of_parts_are_let_go_when_nobody_waits() -> None:
    text, memory = row(always_proved.LARGE // 3, STATED), Memory()

    def found(text: str, memory: Memory) -> dict[str, MutantStatus]:
        options = Options(cores=False)
        run = analyse(accepted(text), options, memory, lambda _: None, cancelled=lambda: False)
        return {one.mutant: one.status for one in run.mutants}

    def solvers() -> int:
        gc.collect()
        return sum(type(one) is Solvers for one in gc.get_objects())

    before = solvers()
    memory.benches.shed()  # there are none
    found(text, memory)
    assert solvers() > before
    memory.benches.shed()
    assert before == solvers()
    edited = text.replace("n <= 5", "n <= 6")
    assert text != edited
    assert found(edited, Memory()) == found(edited, memory)


def test_the_questions_about_a_row_are_about_few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    text = row(always_proved.LARGE // 3, STATED)
    expected = survivors(text)
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": LASTING})
    monkeypatch.setattr(near_parts, "PORTION", 12)
    sizes = sieved_sizes(monkeypatch)
    found = survivors(text)

    assert found
    assert found <= expected
    assert 5 < len(sizes)
    assert max(sizes) < 12


def test_what_is_left_of_certificates_is_looked_for_in_few_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = row(always_proved.LARGE // 3, STATED)
    expected = survivors(text)
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": LEFT})
    monkeypatch.setattr(near_parts, "PORTION", 12)
    sizes, surviving = sieved_sizes(monkeypatch), Solvers.surviving

    def sized(solvers: Solvers, *asked: Any) -> Any:
        sizes.append(len(solvers.system.constraints))
        return surviving(solvers, *asked)

    monkeypatch.setattr(Solvers, "surviving", sized)
    found = survivors(text)

    assert found
    assert found <= expected
    assert max(sizes) < 12


def equations(size: int) -> str:
    """Return the same in Lustre."""
    named = {n: ", ".join(f"{n}{cell}" for cell in range(size)) for n in ("n", "on", "p")}
    cells = "".join(
        f"  n{n} = 0 -> if not {before} then 0 else if pre n{n} < 5 then pre n{n} + 1 else 5;\n"
        f"  on{n} = n{n} >= 3;\n  p{n} = n{n} <= 5;\n  --%PROPERTY p{n};\n"
        for n, before in enumerate(("go", *(f"on{n}" for n in range(size - 1))))
    )
    return (
        f"node top(go: bool) returns ({named['on']}: bool);\n"
        f"var {named['n']}: int; {named['p']}: bool;\nlet\n{cells}tel;\n"
    )


def decided(text: str) -> dict[MutantStatus, set[str]]:
    """Return the mutants of a Lustre text by what is known of them."""
    found: dict[MutantStatus, set[str]] = {status: set() for status in MutantStatus}
    for one in analysed(accepted_in("lustre", text), Options(cores=False)).mutants:
        found[one.status].add(one.mutant)
    return found


def test_the_questions_about_a_row_of_equations_are_about_few_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = equations(parts.LEAST_PARTED // 3)
    expected = decided(text)[MutantStatus.SURVIVED]
    monkeypatch.setattr(near_parts, "PORTION", 12)
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": CORES})
    inherited = decided(text)[MutantStatus.SURVIVED]
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": NEAR})
    sizes = sieved_sizes(monkeypatch)
    found = decided(text)[MutantStatus.SURVIVED]

    assert len(inherited) + 20 < len(found)
    assert found <= expected
    assert 5 < len(sizes)
    assert max(sizes) < 12


def test_what_fails_far_along_a_row_fails_in_long_executions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = equations(parts.LEAST_PARTED // 3)
    expected = decided(text)
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": FAR})
    found = decided(text)

    assert found[MutantStatus.KILLED] <= expected[MutantStatus.KILLED]
    assert 20 < len(found[MutantStatus.KILLED])


def test_certificates_of_other_mutants_are_tried_on_few_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": OTHERS})
    monkeypatch.setattr(near_parts, "PORTION", 12)
    sizes = sieved_sizes(monkeypatch)

    assert survivors(row(always_proved.LARGE // 3, STATED), most=40)
    assert sizes
    assert max(sizes) < 12


class _Row:
    """Write a short row of modules with random assignments; used once."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def text(self) -> str:
        one = self._source.choice
        shown = one(("", "DEFINE big := n >= 2;\n", "DEFINE big := before & n > 0;\n"))
        told = one(("n >= 2", "before", "!on | n = 1", "big" if shown else "n > 1"))
        cells = [f"c{n} : cell({self._input(n)});\n" for n in range(2)]
        return (
            "MODULE cell(before)\nVAR n : 0..3; on : boolean;\n"
            f"{shown}ASSIGN\n  init(n) := {one(('0', '1', '{0, 1}'))};\n"
            f"  next(n) := case {self._branch()}; {self._branch()}; TRUE : {one('n01')}; esac;\n"
            f"  init(on) := {one(('FALSE', 'TRUE', 'before'))};\n  next(on) := {told};\n"
            f"INVARSPEC {one(('on -> n >= 1', 'n != 1', 'n >= 1 | !on'))};\n"
            f"INVARSPEC n <= {one((1, 2, 3))};\n"
            f"LTLSPEC G (on -> n <= {one((2, 3))});\n"
            f"MODULE main\nVAR go : boolean;\n{''.join(cells)}"
        )

    def _branch(self) -> str:
        one = self._source.choice
        when = one(("before", "!before", "on", "n < 2", "before & n < 2", "n = 3"))
        return f"{when} : {one(('0', '1', 'n', 'n = 3 ? 0 : n + 1', '{0, n}', '(n + 1) mod 4'))}"

    def _input(self, number: int) -> str:
        return self._source.choice(("go", f"c{number - 1}.on", "!c0.on")) if number else "go"


@pytest.mark.parametrize("strategy", [LASTING, LEFT, OTHERS], ids=["whole", "parts", "others"])
@profile(30)
@given(sources())
def test_what_holds_near_holds_in_all_states(strategy: Strategy, source: random.Random) -> None:
    text = _Row(source).text()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(always_proved, "LARGE", 0)
        patch.setattr(near_parts, "SMALL_PART", 1)
        patch.setattr(near_parts, "PORTION", 6)
        patch.setattr(parts, "LEAST_PARTED", 10**9)
        patch.setattr(certificates, "LEAST_PARTED", 0)
        patch.setattr(strategies, "STRATEGIES", {"default": strategy})
        assert [] == [*compare(text, mutate=True)]
