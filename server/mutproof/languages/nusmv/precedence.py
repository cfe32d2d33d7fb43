"""How tightly operators bind: one table, read by the parser and by the printer.

Levels are those of the NuSMV grammar, 1 the tightest; an operand of a looser level needs
parentheses.
Source: NuSMV 2.6 grammar.y, section "operator precedence".
"""

from __future__ import annotations

from mutproof.base.record import dataclass
from mutproof.languages.nusmv.syntax import Form

ATOM = 1
PREFIX = 2
SHIFT = 6
SET = 7
BRANCHING_TIME = 11
LINEAR_TIME = 12
UNTIL_BRACKET = 25  # `U` and `BU` inside the brackets of `A [ ]`
LOOSEST = 30


@dataclass(frozen=True, slots=True)
class Binding:
    """Hold a level and whether equal levels group to the right."""

    level: int
    right: bool = False

    @property
    def left_limit(self) -> int:
        """Return the loosest level the left operand may have."""
        return self.level - 1 if self.right else self.level

    @property
    def right_limit(self) -> int:
        """Return the loosest level the right operand may have."""
        return self.level if self.right else self.level - 1


BINARY: dict[Form, Binding] = {
    Form.CONCAT: Binding(3),
    Form.MULTIPLY: Binding(4),
    Form.DIVIDE: Binding(4),
    Form.MODULO: Binding(4),
    Form.ADD: Binding(5),
    Form.SUBTRACT: Binding(5),
    Form.SHIFT_LEFT: Binding(SHIFT),
    Form.SHIFT_RIGHT: Binding(SHIFT),
    Form.RANGE: Binding(SET),
    Form.UNION: Binding(8),
    Form.IN: Binding(9),
    Form.EQUAL: Binding(10),
    Form.NOT_EQUAL: Binding(10),
    Form.LESS: Binding(10),
    Form.GREATER: Binding(10),
    Form.LESS_EQUAL: Binding(10),
    Form.GREATER_EQUAL: Binding(10),
    Form.U: Binding(13),
    Form.V: Binding(13),
    Form.S: Binding(13),
    Form.T: Binding(13),
    Form.AND: Binding(14),
    Form.OR: Binding(15),
    Form.XOR: Binding(15),
    Form.XNOR: Binding(15),
    Form.IF: Binding(18, right=True),
    Form.IFF: Binding(19),
    Form.IMPLIES: Binding(20, right=True),
    Form.BU: Binding(UNTIL_BRACKET),
}

UNARY: dict[Form, Binding] = {
    Form.NOT: Binding(PREFIX, right=True),
    Form.NEGATE: Binding(PREFIX, right=True),
    **{
        form: Binding(BRANCHING_TIME, right=True)
        for form in (
            Form.EX,
            Form.AX,
            Form.EF,
            Form.AF,
            Form.EG,
            Form.AG,
            Form.EBF,
            Form.ABF,
            Form.EBG,
            Form.ABG,
        )
    },
    **{
        form: Binding(LINEAR_TIME, right=True)
        for form in (Form.X, Form.F, Form.G, Form.Y, Form.Z, Form.H, Form.ONCE)
    },
}

PSL: dict[str, Binding] = {
    **{
        word: Binding(12, right=True)
        for word in ("next", "next_a", "next_e", "next_event", "eventually!")
    },
    **{
        word: Binding(13, right=True)
        for word in (
            "until",
            "until!",
            "until_",
            "until!_",
            "before",
            "before!",
            "before_",
            "before!_",
            "W",
        )
    },
    "&&": Binding(16),
    "||": Binding(17),
    "|->": Binding(21, right=True),
    "|=>": Binding(21, right=True),
    "always": Binding(22, right=True),
    "never": Binding(22, right=True),
    "forall": Binding(22, right=True),
}
"""The operators that only PSL has. Source: IEEE 1850, table of precedences."""
