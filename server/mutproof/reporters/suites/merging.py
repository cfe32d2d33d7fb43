"""Add the tests of one suite to those of another one of the same model."""

from __future__ import annotations

import json
from typing import Any

from mutproof.reporters.suites.document import written
from mutproof.workspace.suites.recorded import RecordedSuite


def with_tests(text: str, added: dict[str, Any]) -> str:
    """Return a recorded suite with the tests and the mutants of another one, those it lacks.

    What stays is not asked again, so that how few tests would do is not known any more.
    """
    found: dict[str, Any] = json.loads(text)
    tests = {test["name"]: test for test in found["tests"]}
    for test in added["tests"]:
        known = tests.setdefault(test["name"], test)
        shown = {kill["mutant"] for kill in known["kills"]}
        known["kills"] += [kill for kill in test["kills"] if kill["mutant"] not in shown]
    mutants = {one["id"]: one for one in found["mutants"]}
    for one in added["mutants"]:
        before = mutants.get(one["id"], {})
        both = dict.fromkeys((*before.get("tests", ()), *one.get("tests", ())))
        mutants[one["id"]] = {**one, **({"tests": list(both)} if both else {})}
    found["tests"], found["mutants"] = list(tests.values()), list(mutants.values())
    found["minimum"] = {**found.get("minimum", {}), "tests": len(tests), "at_least": 0}
    return written(found)


def is_of(suite: RecordedSuite, added: dict[str, Any]) -> bool:
    """Tell whether a recorded suite and a new one are of the same text, inputs and outputs."""
    names = [[one["name"] for one in added[kind]] for kind in ("inputs", "outputs")]
    return suite.digest == added["model"]["digest"] and names == [
        [one.name for one in suite.inputs],
        [one.name for one in suite.outputs],
    ]
