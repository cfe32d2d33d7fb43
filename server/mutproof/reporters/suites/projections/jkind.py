"""Suites as results of JKind: a property for each test, whose counterexample is the test.

Truth values are 0 and 1; what is not expected at a step has no value there.
Source: JKind 4.6, `jkind.writers.XmlWriter`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from fractions import Fraction
from xml.etree.ElementTree import Element, SubElement

from mutproof.model.sorts import Value
from mutproof.reporters.suites.projection import Projection
from mutproof.workspace.suites.recorded import RecordedSuite, RecordedTest, SuiteVariable


def write(suite: RecordedSuite, stem: str) -> Mapping[str, str]:
    """Return a file of results in which each test is a property that was falsified."""
    root = Element("Results")
    for test in suite.tests:
        found = SubElement(root, "Property", {"name": test.name})
        SubElement(found, "Runtime", {"unit": "sec"}).text = "0.0"
        SubElement(found, "Answer", {"source": "mutproof"}).text = "falsifiable"
        SubElement(found, "K").text = str(len(test.steps))
        shown = SubElement(found, "Counterexample")
        for variable in (*suite.inputs, *suite.outputs):
            _signal(shown, variable, test)
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return {f"{stem}.jkind.xml": f'<?xml version="1.0"?>\n{body}\n'}


def _signal(shown: Element, variable: SuiteVariable, test: RecordedTest) -> None:
    kind = variable.type
    if variable.low is not None and variable.high is not None:
        kind = f"subrange [{variable.low}, {variable.high}] of int"
    signal = SubElement(shown, "Signal", {"name": variable.name, "type": kind})
    for number, step in enumerate(test.steps):
        value = {**step.inputs, **step.outputs}.get(variable.name)
        if value is not None:
            SubElement(signal, "Value", {"time": str(number)}).text = _text(value)


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}" if value.denominator > 1 else str(value)
    return str(value)


PROJECTION = Projection("jkind", write)
