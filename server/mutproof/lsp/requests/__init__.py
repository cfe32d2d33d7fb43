"""Requests about one file, answered from snapshots, one file each, and the registry.

Nothing here solves or waits for solving.
"""

from __future__ import annotations

from mutproof.base.registry import Registry
from mutproof.lsp.request import Request
from mutproof.lsp.requests import (
    call_hierarchy,
    code_action,
    code_lens,
    completion,
    definition,
    diagnostic,
    document_link,
    document_symbol,
    folding,
    formatting,
    highlight,
    hover,
    inlay_hint,
    kept_tests,
    overview,
    references,
    rename,
    selection_range,
    semantic_tokens,
    signature_help,
    trace,
)

REQUESTS: Registry[Request] = Registry(
    "request",
    (
        hover.REQUEST,
        code_lens.REQUEST,
        code_lens.RESOLVE,
        code_action.REQUEST,
        definition.REQUEST,
        references.REQUEST,
        highlight.REQUEST,
        call_hierarchy.PREPARE,
        call_hierarchy.INCOMING,
        call_hierarchy.OUTGOING,
        document_link.REQUEST,
        document_symbol.REQUEST,
        folding.REQUEST,
        formatting.TEXT,
        formatting.RANGE,
        formatting.TYPED,
        selection_range.REQUEST,
        semantic_tokens.FULL,
        semantic_tokens.DELTA,
        inlay_hint.REQUEST,
        diagnostic.REQUEST,
        completion.REQUEST,
        signature_help.REQUEST,
        rename.PREPARE,
        rename.REQUEST,
        overview.OVERVIEW,
        overview.MUTANTS,
        kept_tests.REQUEST,
        trace.SHOWN,
        trace.FILE,
    ),
)
