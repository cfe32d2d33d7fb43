"""The viewer of mutation testing reports, which shows mutants in their text.

`viewer/` holds it as its project publishes it, with licence and checksums; the report it shows
stands in the page as JSON.

Source: npm, mutation-testing-elements, `dist/mutation-test-elements.js`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files

_SCRIPT = """
"use strict";
const app = document.querySelector("mutation-test-report-app");
app.addEventListener("theme-changed", (event) => {
  document.documentElement.style.colorScheme = event.detail.theme;
});
app.report = JSON.parse(document.getElementById("report").textContent);
"""


def viewer(report: object) -> Iterator[str]:
    """Yield the viewer of a report of the mutation testing report schema, with its scripts.

    The scripts are inline, so that the viewer is ready before the rest of the page is parsed.
    """
    # Without `<`, the text has no end tag or comment, which a browser would find in a script.
    text = json.dumps(report, separators=(",", ":")).replace("<", "\\u003c")
    yield '<mutation-test-report-app title-postfix="mutproof"></mutation-test-report-app>'
    yield "<noscript><p>The mutants in their text need JavaScript; --format csv lists them."
    yield "</p></noscript>"
    yield f'<script type="application/json" id="report">{text}</script>'
    yield from (f"<script>{script}</script>" for script in scripts())


def scripts() -> tuple[str, str]:
    """Return the scripts that the viewer needs, in their order."""
    folder = files("mutproof.reporters.pages").joinpath("viewer")
    return _SCRIPT, folder.joinpath("mutation-test-elements.js").read_text(encoding="utf-8")
