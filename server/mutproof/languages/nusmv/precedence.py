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
    "next[]": Binding(PREFIX, right=True),  # also `next_event` and the like: before parentheses
    "&&": Binding(12),
    "||": Binding(13),
    "forall": Binding(14, right=True),
    **{word: Binding(17) for word in ("until", "until!", "until_", "until!_", "W")},
    **{word: Binding(18) for word in ("before", "before!", "before_", "before!_")},
    **{word: Binding(19, right=True) for word in ("eventually!", "next", "next_a", "next_e")},
    "|->": Binding(21, right=True),
    "|=>": Binding(21, right=True),
    "always": Binding(22, right=True),
    "never": Binding(22, right=True),
}
"""The operators that only PSL has."""

IN_PSL: dict[Form, Binding] = {
    **{form: BINARY[form] for form in BINARY if BINARY[form].level < SHIFT},
    Form.SHIFT_LEFT: Binding(6),
    Form.SHIFT_RIGHT: Binding(6),
    Form.RANGE: Binding(SHIFT),  # it refuses sets, which bind here as in LTL
    Form.UNION: Binding(SHIFT),
    Form.IN: Binding(7),
    **{form: Binding(7) for form in (Form.LESS, Form.GREATER, Form.LESS_EQUAL, Form.GREATER_EQUAL)},
    Form.EQUAL: Binding(8),
    Form.NOT_EQUAL: Binding(8),
    Form.AND: Binding(9),
    Form.XOR: Binding(10),
    Form.XNOR: Binding(10),
    Form.OR: Binding(11),
    Form.IF: Binding(14, right=True),
    **{form: Binding(17) for form in (Form.U, Form.V, Form.S, Form.T)},
    Form.IFF: Binding(20),
    Form.IMPLIES: Binding(20),
    Form.BU: Binding(UNTIL_BRACKET),
    **{form: UNARY[form] for form in (Form.NOT, Form.NEGATE)},
    **{form: Binding(16, right=True) for form in UNARY if form not in {Form.NOT, Form.NEGATE}},
    Form.G: Binding(22, right=True),
}
"""The other operators in PSL: `->` groups to the left, and `next p & q` is `next (p & q)`.

Source: NuSMV 2.6 psl_grammar.y, its table of precedences.
"""
