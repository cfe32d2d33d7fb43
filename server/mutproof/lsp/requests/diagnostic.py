"""Diagnostics for clients that ask for them, instead of being told."""

from __future__ import annotations

from lsprotocol import types

from mutproof.base.digest import digest_parts
from mutproof.lsp import publish, wire
from mutproof.lsp.request import Request
from mutproof.lsp.view import View
from mutproof.lsp.wire import Wire


async def on_diagnostic(
    view: View, params: types.DocumentDiagnosticParams
) -> types.RelatedUnchangedDocumentDiagnosticReport | Wire:
    """Answer the diagnostics of a file, or that they are those of an earlier answer."""
    await view.session.fresh(view.document)
    everything = view.session.settings.all_mutants
    found = publish.diagnostics(
        view.document, view.encoding, everything=everything, links=view.links_codes
    )
    identity = digest_parts(found.text).hex()
    if identity == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=identity)
    return Wire(f'{{"kind":"full","resultId":{wire.text(identity)},"items":{found.text}}}')


REQUEST = Request(
    types.TEXT_DOCUMENT_DIAGNOSTIC,
    on_diagnostic,
    types.DiagnosticOptions(
        inter_file_dependencies=False, workspace_diagnostics=False, identifier="mutproof"
    ),
    nothing=lambda _: types.RelatedFullDocumentDiagnosticReport(items=[]),
    suits=publish.pulls,
)
