"""Remove an element that no proof needs, and the declarations of variables that only it defines."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.model import walk
from mutproof.model.program import ElementId, Program
from mutproof.model.roles import called_components


def _offer(selection: Selection) -> Iterator[Action]:
    verdicts = selection.verdicts
    provenance = verdicts.analysed.elaborated.provenance
    if len(verdicts.proved) < len(verdicts.analysed.report.properties):
        return  # what is not proved may need it
    for element in verdicts.unneeded:
        if not selection.touches(provenance.whole(element)):
            continue
        if _states_properties(verdicts.analysed.program, element):
            continue
        edits = verdicts.analysed.language.remove(selection.subject(element))
        if edits:
            yield Action(
                f"Remove {verdicts.label(element)}: no proof needs it",
                ActionKind.REPAIR,
                edits,
                about=str(element),
            )


def _states_properties(program: Program, element: ElementId) -> bool:
    """Tell whether an element calls what has properties: without the call these would be gone."""
    sites = [site for one in program.by_id[element] for site in walk.sites(one.body)]
    called = set[str]().union(*(called_components(program, one.component) for one in sites))
    return any(program.component(name).properties for name in called)


MAKER = Maker("remove-unneeded", _offer)
