"""Suites of tests of a system of sixty equations: how many tests, and how long that takes."""

from __future__ import annotations

import time

import models
from report import Section

from mutproof.analyses.suites.suite import SuiteFate
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.options import Options

ZONES = 5
"""Of the alarm, which then has sixty equations."""


def measure(seconds: float, level: str) -> Section:
    """Make a suite in so many seconds, about, and say what it has and kills."""
    section = Section("suites", "Suites of tests")
    text = models.alarm(ZONES)
    options = Options(suite=True, cores=False, level=level, timeout_s=seconds)
    begun = time.process_time()
    found = analyse(text.elaborated(), options, Memory(), lambda _: None, cancelled=lambda: False)
    suite = found.suite
    assert suite is not None
    counts = [suite.count(fate) for fate in SuiteFate]
    section.say(
        f"`{text.name}`, mutants of level `{level}`, {seconds:g} s at most; with fewer tests than"
        " *at least* not all would be killed that the collected tests kill."
    )
    section.table(
        ["mutants", *(fate.value for fate in SuiteFate), "tests", "at least", "CPU s"],
        [
            [
                len(suite.mutants),
                *counts,
                len(suite.tests),
                suite.at_least,
                time.process_time() - begun,
            ]
        ],
    )
    return section
