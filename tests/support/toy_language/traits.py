"""What others need to know of the toy language."""

from __future__ import annotations

from mutproof.model.operators import Op
from mutproof.model.sorts import Sort, Value
from mutproof.model.traits import Traits


def show(value: Value, _: Sort | None) -> str:
    """Return a value as it is written in the language."""
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


TRAITS = Traits("toy", "Toy", symbols={Op.EQ: "==", Op.NE: "!="}, booleans=("no", "yes"), show=show)
