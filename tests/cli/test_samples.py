"""A sample of mutants is the same every time, spread over the elements, and told to be one."""

from __future__ import annotations

import json
from itertools import pairwise

from process import EXAMPLES, mutproof

from mutproof.analyses.mutation.sample import sampled
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.reading import elaborated_in

DEMO2 = EXAMPLES / "demo2.lus"
QUIET = ("--no-progress", "--no-timings", "--no-cache")


def test_a_sample_has_mutants_of_all_elements_in_the_order_of_the_file() -> None:
    found = elaborated_in("lustre", DEMO2.read_text())
    everything = enumerate_mutants(found, Options(level="all"))
    elements = {mutant.element for mutant in everything}
    for most in range(1, len(everything) + 2):
        sample = sampled(everything, most)
        assert min(most, len(everything)) == len(sample)
        assert [mutant for mutant in everything if mutant in sample] == list(sample)
        assert min(most, len(elements)) == len({mutant.element for mutant in sample})
        assert sample == enumerate_mutants(found, Options(level="all", most_mutants=most))
    assert everything == sampled(everything, 0)


def test_a_larger_sample_contains_the_smaller() -> None:
    found = elaborated_in("lustre", DEMO2.read_text())
    everything = enumerate_mutants(found, Options(level="all"))
    samples = [set(sampled(everything, most)) for most in range(1, len(everything))]
    for smaller, larger in pairwise(samples):
        assert smaller < larger


def test_reports_say_how_many_mutants_there_are() -> None:
    arguments = ("mutate", DEMO2, "--level", "paper", *QUIET)
    whole = mutproof(*arguments)
    part = mutproof(*arguments, "--most-mutants", "6")
    report = json.loads(mutproof(*arguments, "--most-mutants", "6", "--format", "json").out)

    assert "22 mutants: " in whole.out
    assert "6 mutants of 22 (a sample): " in part.out
    assert [{"mutants": 6, "of": 22}] == list(report["mutproof"]["samples"].values())
    verdicts = [line for line in part.out.splitlines() if line.startswith(("KILLED", "SURVIVED"))]
    assert 6 == len(verdicts)
    assert set(verdicts) < set(whole.out.splitlines())
