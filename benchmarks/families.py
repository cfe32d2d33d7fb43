"""Measure how much faster mutants are decided as a family than one by one.

Usage: python benchmarks/families.py [--seconds S] [--largest N] [--most N] [MODEL.smv ...]

Every model is changed in small ways: each element is removed, each operator in it exchanged.
The table shows the number of changes, the seconds that one run for each needs and the seconds
of families, their ratio, and how many verdicts both ways found and found differently. Both
ways find the execution that shows each refutation.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from mutproof.base.budget import Deadline
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import Element, PropertyKind
from mutproof.model.relational import Relational
from mutproof.model.system import Constraint
from mutproof.model.terms import Term
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import Undecided

_EXCHANGED = {
    Op.AND: Op.OR,
    Op.OR: Op.AND,
    Op.IMPLIES: Op.AND,
    Op.EQ: Op.NE,
    Op.NE: Op.EQ,
    Op.LT: Op.LE,
    Op.LE: Op.LT,
    Op.GT: Op.GE,
    Op.GE: Op.GT,
    Op.ADD: Op.SUB,
    Op.SUB: Op.ADD,
}


def ring(cells: int) -> str:
    """Return a token ring whose cells request, enter and leave."""
    modules = "\n".join(
        f"  c{i} : cell(c{(i - 1) % cells}.token, {'TRUE' if i == 0 else 'FALSE'});"
        for i in range(cells)
    )
    safe = " & ".join(
        f"!(c{i}.state = busy & c{j}.state = busy)" for i in range(cells) for j in range(i)
    )
    return f"""
MODULE cell(before, first)
VAR state : {{idle, waiting, busy}};
    token : boolean;
ASSIGN
  init(state) := idle;
  next(state) := case
    state = idle : {{idle, waiting}};
    state = waiting & token : busy;
    state = busy : idle;
    TRUE : state;
  esac;
  init(token) := first;
  next(token) := case
    token & (state = waiting | state = busy) & !(state = busy) : TRUE;
    token : FALSE;
    before : TRUE;
    TRUE : FALSE;
  esac;
MODULE main
VAR
{modules}
INVARSPEC {safe};
SPEC AG (c0.state = waiting -> AF c0.state = busy);
SPEC AG EF c1.state = busy;
LTLSPEC G (c1.state = waiting -> F c1.state = busy);
"""


def counters(bits: int) -> str:
    """Return two counters, of which the second runs while the first is high."""
    top = (1 << bits) - 1
    return f"""
MODULE main
IVAR go : boolean;
VAR a : 0..{top}; b : 0..{top}; mode : {{low, high, alarm}};
ASSIGN
  init(a) := 0;
  next(a) := case a < {top} & go : a + 1; a = {top} : 0; TRUE : a; esac;
  init(b) := 0;
  next(b) := case mode = high & b < {top} : b + 1; mode = low : 0; TRUE : b; esac;
  init(mode) := low;
  next(mode) := case
    b = {top} : alarm;
    a > {top // 2} : high;
    mode = alarm & a = 0 : low;
    TRUE : mode;
  esac;
DEFINE safe := mode = alarm -> b > 0;
INVARSPEC b <= {top};
SPEC AG (mode = alarm -> EF mode = low);
SPEC EF mode = alarm;
SPEC AG safe;
LTLSPEC G (mode = alarm -> (mode = alarm U (mode = high | mode = low)) | G mode = alarm);
"""


def changes(relational: Relational) -> Iterator[tuple[str, Alternative]]:
    """Yield the alternatives of a program, each with a name."""
    elements: dict[object, list[Element]] = {}
    for element in relational.component.elements:
        elements.setdefault(element.id, []).append(element)
    for identity, occurrences in elements.items():
        if not all(relational.is_local(element) for element in occurrences):
            continue
        removed = frozenset({occurrences[0].id})
        yield f"{identity} removed", Alternative(removed)
        for path, part in walk.occurrences(occurrences[0].body):
            if part.op not in _EXCHANGED:
                continue
            constraints: list[Constraint] = []
            for element in occurrences:
                here = terms.at(element.body, path)
                body = terms.replaced(element.body, path, _exchanged(here))
                constraints.extend(relational.element(element, body))
            name = f"{identity} {'.'.join(map(str, path))} {part.op.value}"
            yield name, Alternative(removed, tuple(constraints))


def _exchanged(term: Term) -> Term:
    return terms.make(_EXCHANGED[term.op], term.sort, term.args)


def measured(path: Path, options: argparse.Namespace) -> str:
    """Return the row of a model."""
    found = LANGUAGE.elaborate(LANGUAGE.parse(SourceText(str(path), path.read_text())))
    if found.program is None:
        return f"{path.name:32} is no model"
    relational = Relational(found.program)
    system = relational.system()
    names = [p.name for p in system.properties if p.kind is not PropertyKind.COMPUTE]
    alternatives = dict(list(changes(relational))[: options.most])
    if not names or not alternatives:
        return f"{path.name:32} has nothing to decide"
    started = time.monotonic()
    family = check_family(
        system, alternatives, names, Deadline.after(options.seconds), largest=options.largest
    )
    together = time.monotonic() - started
    started = time.monotonic()
    deadline = Deadline.after(options.seconds)
    known, differing = 0, 0
    for name, change in alternatives.items():
        alone = check(change.applied(system), names, deadline)
        for stated in names:
            one, other = alone[stated], family.verdicts[name][stated]
            if not isinstance(one, Undecided) and not isinstance(other, Undecided):
                known += 1
                differing += type(one) is not type(other)
    apart = time.monotonic() - started
    return (
        f"{path.name:32} {len(names):5} {len(alternatives):7} {apart:8.2f} {together:8.2f} "
        f"{apart / together:6.1f} {known:6} {len(names) * len(alternatives):6} {differing:6}"
    )


def main() -> int:
    """Print a table of all models; 1 where verdicts differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--largest", type=int, default=64)
    parser.add_argument("--most", type=int, default=10_000)
    options = parser.parse_args()
    print(
        f"{'model':32} {'specs':>5} {'changes':>7} {'apart s':>8} {'family s':>8} "
        f"{'ratio':>6} {'known':>6} {'of':>6} {'differ':>6}"
    )
    with tempfile.TemporaryDirectory() as folder:
        models = list(options.models)
        if not models:
            made = {"ring3": ring(3), "ring5": ring(5), "counters4": counters(4)}
            made["counters6"] = counters(6)
            for name, text in made.items():
                models.append(Path(folder, f"{name}.smv"))
                models[-1].write_text(text)
            models += sorted(Path(__file__).parent.parent.joinpath("examples").glob("*.smv"))
        rows = []
        for path in models:
            rows.append(measured(path, options))
            print(rows[-1], flush=True)
    return 1 if any(row.split()[-1] not in {"0", "decide", "model"} for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
