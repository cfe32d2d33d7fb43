"""The tests of an earlier suite that are still tests of today's model."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.analyses.checking.baseline import Baseline
from mutproof.model import sorts
from mutproof.model.sorts import Value
from mutproof.workspace.suites.recorded import SuiteError, read


def earlier_inputs(text: str, baseline: Baseline) -> tuple[tuple[Mapping[str, Value], ...], ...]:
    """Return the inputs of those tests of a suite whose inputs and values the model still has.

    Empty for a text that is no suite.
    """
    if not text:
        return ()
    try:
        suite = read(text)
    except SuiteError:
        return ()
    variables = baseline.system.variables

    def fits(name: str, value: Value) -> bool:
        return name in variables and sorts.contains(variables[name].sort, value)

    return tuple(
        tuple(dict(step.inputs) for step in test.steps)
        for test in suite.tests
        if all(fits(n, v) for step in test.steps for n, v in step.inputs.items())
    )
