"""The frame of a page: head with the content security policy, style, scripts and footer."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

import mutproof

STYLE: Final = """
:root { color-scheme: light dark; --line: #8888; --good: light-dark(#0b6b2e, #7fdc9b);
  --note: light-dark(#0b4f8a, #8cc4ff); --bad: light-dark(#a11515, #ff9d96);
  --mark: light-dark(#fff0c2, #4a3a00); --soft: light-dark(#f4f4f5, #232329);
  --page: light-dark(#fff, #18181b); --ink: light-dark(#18181b, #f4f4f5); }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: var(--page);
  color: var(--ink); }
.page, footer { margin: 1.5rem auto; max-width: 80rem; padding: 0 1rem; }
h1, h2, h3, h4 { line-height: 1.25; }
.wide { overflow-x: auto; margin: 1rem 0; }
.wide, section ~ section ~ section { content-visibility: auto;
  contain-intrinsic-size: auto 20rem; }
table { border-collapse: collapse; }
caption { text-align: left; white-space: nowrap; font-weight: bold; padding: 0.3rem 0; }
th, td { border: 1px solid var(--line); padding: 0.2rem 0.6rem; text-align: left;
  vertical-align: top; }
thead th { background: var(--soft); }
.trace td { text-align: right; font-family: ui-monospace, monospace; }
.trace td small { display: block; font-family: system-ui, sans-serif; }
td.MUST, .good { color: var(--good); font-weight: bold; }
td.MAY, .note { color: var(--note); }
.bad { color: var(--bad); font-weight: bold; }
td.differs { background: var(--mark); font-weight: bold; }
td.changed { font-weight: bold; text-decoration: underline; }
code, pre, del, ins { font-family: ui-monospace, monospace; }
code, pre { overflow-wrap: anywhere; }
pre { background: var(--soft); padding: 0.5rem 0.8rem; overflow-x: auto; white-space: pre-wrap; }
del { color: var(--bad); }
ins { color: var(--good); }
article { border-left: 3px solid var(--line); padding-left: 1rem; margin: 1.5rem 0;
  content-visibility: auto; contain-intrinsic-size: auto 20rem; }
button { font: inherit; padding: 0.15rem 0.8rem; cursor: pointer; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media print { article, .wide, section { content-visibility: visible !important; }
  button { display: none; } }
"""


def frame(
    title: str, body: Iterable[str], *, scripts: Sequence[str] = (), viewer: Sequence[str] = ()
) -> str:
    """Return a page with a title as its heading; `body` yields what stands below it.

    `scripts` are run in their order, at the end. With a `viewer`, the body already has these
    scripts: they provide the main part of the page, and set styles of elements.
    """
    main = "div" if viewer else "main"
    policy = _policy([*viewer, *scripts], styled=bool(viewer))
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escape(title)} – mutproof</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        f'<{main} class="page"><header><h1>{escape(title)}</h1></header>',
        *body,
        f"</{main}><footer><p>mutproof {escape(mutproof.__version__)}</p></footer>",
        *(f"<script>{script}</script>" for script in scripts),
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(lines)


def _policy(scripts: Sequence[str], *, styled: bool) -> str:
    """Return a content security policy that allows these scripts and the style only."""
    # Scripts may set `style` attributes, whose texts have no hash in advance.
    directives = {
        "default-src": ["'none'"],
        "script-src": [_source(script) for script in scripts] or ["'none'"],
        "style-src-elem": [_source(STYLE)],
        "style-src-attr": ["'unsafe-inline'" if styled else "'none'"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())


def _source(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
