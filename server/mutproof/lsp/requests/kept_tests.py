"""The tests of the suite beside a file, and how they end on the model."""

from __future__ import annotations

from mutproof.lsp import protocol, wire
from mutproof.lsp.kept_tests import KeptTest
from mutproof.lsp.request import Question, Request, question
from mutproof.lsp.view import View
from mutproof.lsp.wire import Wire

NOTHING = Wire("null")


async def on_kept_tests(view: View, _: Question) -> Wire:
    """Answer how the tests beside a file end on its last good version; null if there are none."""
    await view.session.fresh(view.document)
    found = None if view.suites is None else await view.suites.tests(view.document)
    if found is None:
        return NOTHING
    fields = {"uri": found.path.as_uri(), "tests": [_test(one) for one in found.tests]}
    return Wire(wire.text(fields))


def _test(test: KeptTest) -> dict[str, object]:
    return {
        "name": test.name,
        "line": test.line,
        "said": test.said,
        "outcome": test.outcome.value,
        "message": test.message,
        "expected": test.wanted,
        "actual": test.seen,
    }


REQUEST = Request(
    protocol.KEPT_TESTS,
    on_kept_tests,
    nothing=lambda _: None,
    read=question,
    carries=(
        "{textDocument}",
        "{uri, tests: {name, line, said, outcome, message, expected, actual}[]} | null",
    ),
)
