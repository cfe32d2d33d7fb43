"""Names of scalar variables once calls and time are removed: none a user can type, none twice.

Identifiers of Lustre have letters, digits, `_`, `~` and `!`, those of NuSMV `$`, `#` and `-`
besides (what is quoted keeps its quotes); dots and brackets lead to parts. `@` and `%` are in
neither, so names made with them differ from all names of a model, and can be shown to users:

* `node@target.` begins the names in the instance that the call in an equation makes, and
  `node@target@1.` those of its second call;
* `x@pre` remembers variable x, `%first` and `instance.%first` say that a state is the first,
  `instance.%clock` that a condact lets its node run, `instance.o@held` is its output o;
* `instance.%condact` is what the condact around its call returns, where `pre` needs a name for it;
* `x%digest` is a subexpression of the equation of x that `pre` needs a name for;
* `index@0` and `index@0@value` say that an index or a divisor is as it should be, and what it is;
* `%digest.x@pre` is what x is before the first step in all instances of calls that are equal,
  `%digest.x` what it is at every step where nothing defines it.

`'`, `?` and `^` begin, or separate parts of, the names that solving adds to these.
"""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.base.digest import Digest
from mutproof.model.program import Element
from mutproof.model.system import Constraint, ConstraintKind, SystemVariable
from mutproof.model.terms import Site, Term

MARK = "@"
FIRST = "%first"
CLOCK = "%clock"
CONDACT = "%condact"
HELD = "@held"
_PRE = "@pre"


class NameClashError(Exception):
    """Say that two things of a system have one name, which is a bug."""


def instance_prefix(prefix: str, owner: str, site: Site) -> str:
    """Return the prefix of the instance made by a call; `owner` names its element."""
    number = f"{MARK}{site.number}" if site.number else ""
    return f"{prefix}{site.component}{MARK}{owner}{number}."


def component_of(path: str) -> str:
    """Return the component that an instance is of, by its path; empty for no path of a call."""
    last = path.rpartition(".")[2]
    return last.partition(MARK)[0] if MARK in last else ""


def bound_names(number: int) -> tuple[str, str]:
    """Return the names of what says that an index is in bounds, and of the index."""
    name = f"index{MARK}{number}"
    return name, f"{name}{MARK}value"


def memory_name(name: str) -> str:
    """Return the name of the memory of a scalar variable."""
    return name + _PRE


def remembered(memory: str) -> str | None:
    """Return the variable that a memory keeps, None where it keeps no variable of the model."""
    name = memory.removesuffix(_PRE).removeprefix("%")
    if is_common(memory):
        name = name.partition(".")[2]
    return None if "%" in name or name.endswith(HELD) else name


def auxiliary_name(prefix: str, element: Element, term: Term) -> str:
    """Return the name lowering gives a subexpression of an element under `pre`."""
    return f"{prefix}{element.owner}%{term.digest.hex()}"


def common_name(key: Digest, own: str) -> str:
    """Return the name of the variable that stands for one in all calls with a key."""
    return f"%{key.hex()}.{own}"


def is_common(name: str) -> bool:
    """Tell whether a name is one that `common_name` makes."""
    return name.startswith("%") and name != FIRST


def is_memory(name: str) -> bool:
    """Tell whether a name is that of the memory of a variable."""
    return name.endswith(_PRE) and not name.endswith(HELD + _PRE) and not is_common(name)


def declared_once(variables: Iterable[SystemVariable]) -> dict[str, SystemVariable]:
    """Return variables by name.

    Raises:
        NameClashError: two of them have one name.
    """
    found: dict[str, SystemVariable] = {}
    for variable in variables:
        if variable.name in found:
            message = f"{variable.name} is declared twice"
            raise NameClashError(message)
        found[variable.name] = variable
    return found


def declare(known: dict[str, SystemVariable], added: Iterable[SystemVariable]) -> None:
    """Declare variables beside known ones; several elements may add the same variable.

    Raises:
        NameClashError: there is another variable of the name.
    """
    for variable in added:
        if known.setdefault(variable.name, variable) != variable:
            message = f"{variable.name} is declared twice"
            raise NameClashError(message)


def check_defined_once(constraints: Iterable[Constraint]) -> None:
    """Check that different constraints define different variables, or different states of them.

    Raises:
        NameClashError: two constraints define one variable.
    """
    initial: set[str] = set()
    later: set[str] = set()
    for constraint in constraints:
        name = constraint.defines
        if name is not None:
            known = initial if constraint.kind is ConstraintKind.INIT else later
            if name in known:
                message = f"{name} is defined twice"
                raise NameClashError(message)
            known.add(name)
