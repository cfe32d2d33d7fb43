"""A toy language and a toy analysis, so that the machinery is tested without a solver.

A text is one equation a line, `x = a > b;`, and `prove x;` states a property. The analysis
finds every mutant killed by every property, except that a comment directs it:
`-- slow` waits (until it is cancelled) before each mutant, `-- deaf` waits and ignores
cancellation, `-- attend` decides what is looked at and nothing else, `-- crash` kills the
process at the third mutant, `-- crash once FILE` does so if FILE does not exist and creates it.
`-- lend` waits after the first mutant until it is asked for a part, and parts with all that follow
the second one; whoever gets them does what `-- helper slow`, `-- helper deaf`, `-- helper crash`,
`-- helper hint` or `-- helper doubt` says, if anything; `-- hint` first tells of what is killed one
property that kills it. With `-- mute` nothing is said of mutants that were handed over and came
back. `-- cores` finds an empty core of each property. With `-- hasty` a second worker begins with
the first property alone, unless it has to try all. `-- keep FILE` takes its time to create FILE
when all is said. What says `-- endless` is read for ever.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.base import giving_way
from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.registry import Registry
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model import sorts, terms
from mutproof.model.language import Elaborated, Language, Parsed
from mutproof.model.operators import Op
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    ElementKind,
    Program,
    Property,
    Variable,
    VariableKind,
)
from mutproof.model.provenance import ElementPlaces, Provenance, TermPlace
from mutproof.model.traits import Traits
from mutproof.runtime.child import WorkerTasks
from mutproof.runtime.pool import GRACE_S
from mutproof.runtime.recall import Recall
from mutproof.workspace.analysis import Cancelled
from mutproof.workspace.events import Attempted, Lent, Progress, Removed
from mutproof.workspace.findings import Report
from mutproof.workspace.report import Listing, MutantPlace

TRAITS = Traits("toy", "Toy")
_LINE = re.compile(r"\s*(?:(\w+) = (\w+) > (\w+);|prove (\w+);|--[^\n]*|)\s*$")


def parse(source: SourceText) -> Parsed:
    """Return the matched lines as the tree."""
    found, diagnostics, offset = [], [], 0
    while "-- endless" in source.content:
        giving_way.give_way()
    for line in source.content.split("\n"):
        match = _LINE.match(line)
        if match is None:
            span = Span(offset, offset + len(line))
            diagnostics.append(Diagnostic("toy-syntax", Severity.ERROR, "no equation", span))
        else:
            found.append((offset, match))
        offset += len(line) + 1
    return Parsed(source, found, tuple(diagnostics))


def elaborate(parsed: Parsed) -> Elaborated:
    """Return the program of the lines; None if any line is wrong."""
    elements, properties, names = [], [], {}
    element_places, property_places, variable_places = {}, {}, {}
    for offset, match in parsed.tree:
        target, left, right, stated = match.groups()
        if stated:
            properties.append(Property(stated, terms.var(stated, sorts.BOOL)))
            property_places[f"main.{stated}"] = Span(*match.span(4)).shifted(offset)
        elif target:
            identity = ElementId("main", "equation", target)
            body = terms.compare(Op.GT, terms.var(left, sorts.INT), terms.var(right, sorts.INT))
            elements.append(Element(identity, ElementKind.EQUATION, (target,), body))
            operator = Span(match.end(2) + 1, match.end(2) + 2)
            element_places[identity] = ElementPlaces(
                offset,
                Span(match.start(1), match.end(3) + 1),
                Span(*match.span(1)),
                Span(match.start(2), match.end(3)),
                {
                    (): TermPlace(Span(match.start(2), match.end(3)), operator),
                    (0,): TermPlace(Span(*match.span(2)), Span(*match.span(2))),
                    (1,): TermPlace(Span(*match.span(3)), Span(*match.span(3))),
                },
            )
            names[target] = (VariableKind.LOCAL, sorts.BOOL)
            variable_places[("main", target)] = Span(*match.span(1)).shifted(offset)
            for name in (left, right):
                names.setdefault(name, (VariableKind.INPUT, sorts.INT))
    variables = tuple(Variable(name, sort, kind) for name, (kind, sort) in names.items())
    program = Program(
        TRAITS, (Component("main", variables, tuple(elements), tuple(properties)),), "main"
    )
    body = Span(0, len(parsed.source.content))
    provenance = Provenance(
        element_places, property_places, {"main": Span(0, 0)}, {"main": body}, variable_places
    )
    known = None if parsed.diagnostics else program
    return Elaborated(parsed, known, provenance, parsed.diagnostics)


TOY = Language(
    TRAITS, (".toy",), "--", parse, elaborate, repr, lambda element, path, term: repr(term)
)
LANGUAGES = Registry("language", [TOY])


def listing(_: str, elaborated: Elaborated, options: object) -> Listing:
    """Return two mutants of every equation: `>` becomes `>=`, and it is removed."""
    program = elaborated.program
    assert program is not None
    places = []
    for element in program.elements():
        key = f"{element.id.name}.{element.digest.hex()[:8]}"
        places.append(
            MutantPlace(
                f"{key}.ge", f"{key}.ge", element.id, "g2ge", (), (), "`>` → `>=`", "x >= y"
            )
        )
        places.append(
            MutantPlace(
                f"{key}.rm", f"{key}.rm", element.id, "equation_remove", (), None, "removed", None
            )
        )
    return Listing(program.digest, tuple(places), tuple(e.id for e in program.elements()))


def analyse(  # type: ignore[no-untyped-def]
    elaborated, options, memory, emit, cancelled, attention, asked
) -> Report:
    """Decide by rule: removals are killed, `>=` survives."""
    text = elaborated.parsed.source.content
    program = elaborated.program
    names = [stated.name for stated in program.component("main").properties]
    part, parts = options.share
    # What is handed over from another worker has no such mark.
    is_new, memory.marked = not hasattr(memory, "marked"), True
    if options.mutants and is_new:
        text = text.replace("-- helper ", "-- ")
    else:
        text = re.sub(r"-- helper.*", "", text)
    # A second worker may be less able than the first.
    doubts = "-- doubt" in text and (part > 0 or options.mutants) and is_new
    verdict = PropertyVerdict.UNKNOWN if doubts else PropertyVerdict.PROVED
    memory.file = re.search(r"-- keep (\S+)", text)
    emit(Progress("prove", 0, len(names)))
    found = []
    is_hasty = "-- hasty" in text and options.stage == "soon"
    for number, name in enumerate(names):
        known = PropertyVerdict.UNKNOWN if is_hasty and number else verdict
        found.append(PropertyFinding(name, "main", name, known, k=1, engine="bmc"))
        emit(found[-1])
    if options.stage == "mutants" and part == 0 < parts - 1:
        emit(Attempted())
    if is_hasty:
        names = names[:1]
    has_cores = "-- cores" in text and options.cores and not options.mutants
    own = names[part::parts] if has_cores else []
    if options.stage == "cores":
        return _with_cores(found, own, emit, Statistics())
    mutants = []
    lends, lent = "-- lend" in text and not options.mutants, range(0)
    places = listing("toy", elaborated, options).mutants
    emit(Progress("mutate", 0, len(places)))
    order = _looked_at(places, cancelled, attention) if "-- attend" in text else places
    for place in places if "-- hint" in text else ():
        if place.operator != "g2ge" and place.mutant in (options.mutants or (place.mutant,)):
            first, *others = names
            emit(
                MutantFinding(
                    place.mutant,
                    MutantStatus.KILLED,
                    (first,),
                    {first: 0},
                    undecided=tuple(others),
                    how="bmc",
                )
            )
    for number, place in enumerate(order):
        if number // 2 % parts != part or number in lent:
            continue
        if options.mutants and place.mutant not in options.mutants:
            continue
        if "-- mute" in text and options.mutants and not is_new:
            continue
        emit(Progress("mutate", number, len(places)))
        if number == (0 if "-- early" in text else 2) and _crashes(text):
            os.kill(os.getpid(), signal.SIGKILL)
        if "-- deaf" in text:
            threading.Event().wait()
        while "-- slow" in text:
            if cancelled():
                raise Cancelled
            threading.Event().wait(0.01)
        if place.operator == "g2ge" or doubts:
            finding = MutantFinding(place.mutant, MutantStatus.SURVIVED, k=1, how="k-induction")
        else:
            finding = MutantFinding(
                place.mutant, MutantStatus.KILLED, tuple(names), dict.fromkeys(names, 0), how="bmc"
            )
        mutants.append(finding)
        emit(finding)
        if lends and not lent:
            while not asked():
                if cancelled():
                    raise Cancelled
                threading.Event().wait(0.01)
            lent = range(number + 2, len(places))
            emit(Lent(tuple(places[later].mutant for later in lent)))
    statistics = Statistics(mutants=len(mutants), decided=len(mutants))
    if options.stage == "mutants" and own and (parts > 1 or lent):
        emit(Removed(tuple(one.mutant for one in mutants)))
        own = []
    report = _with_cores(found, own, emit, statistics)
    return replace(report, mutants=tuple(mutants))


def _with_cores(found, own, emit, statistics) -> Report:  # type: ignore[no-untyped-def]
    """Emit properties with empty cores."""
    emit(Progress("core", 0, len(found)))
    cores = [replace(one, core=(), must=()) for one in found if one.name in own]
    for one in cores:
        emit(one)
    emit(statistics)
    return Report(tuple(found), (), statistics)


def _looked_at(places, cancelled, attention):  # type: ignore[no-untyped-def]
    """Yield what is looked at; wait for somebody to look at the rest."""
    left = list(places)
    while left:
        found = [place for place in left if place.element in attention()]
        if cancelled():
            raise Cancelled
        if found:
            left.remove(found[0])
            yield found[0]
        else:
            threading.Event().wait(0.01)


def _crashes(text: str) -> bool:
    once = re.search(r"-- crash once (\S+)", text)
    if once is None:
        return "-- crash" in text
    flag = Path(once[1])
    if flag.exists():
        return False
    flag.touch()
    return True


class SlowRecall(Recall):
    """Recall nothing, and keep what a text asks for."""

    def write(self, name, program, memory, **_) -> bool:  # type: ignore[no-untyped-def]
        """Create the file that the text names, some time later."""
        if memory.file is not None:
            time.sleep(2 * GRACE_S)  # longer than who answers nobody any more is left alone
            Path(memory.file[1]).touch()
        return True


ENGINE = WorkerTasks(
    lambda _, source: elaborate(parse(source)), listing, analyse, recall=SlowRecall(None)
)

if __name__ == "__main__":
    import sys

    from mutproof.runtime import child

    child.main(sys.argv[1:], lambda: ENGINE)
