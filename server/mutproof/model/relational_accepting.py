"""Which steps the rules of a NuSMV program accept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mutproof.base.record import dataclass
from mutproof.model import relational_states
from mutproof.model.relational_demands import NotExplored
from mutproof.model.relational_rules import Rule, Rules, Values
from mutproof.model.relational_values import NOWHERE, UNDEFINED, includes


@dataclass(frozen=True, slots=True)
class Accepting:
    """Hold rules that accept or reject steps: those on the second state, and those on both."""

    always: Sequence[Rule]
    asked: Sequence[Rule]

    def accepts(self, rules: Rules, here: Values, after: Values) -> bool:
        """Tell whether a step is accepted by all, with these rules for DEFINEs.

        Raises:
            NotExplored: one has no value.
        """
        if not all(holds(rule, after, NOWHERE, after) for rule in self.always):
            return False
        if not self.asked:
            return True
        now, later = relational_states.pair(rules, here, after)
        return all(holds(rule, now, later, later) for rule in self.asked)


def holds(
    rule: Rule, now: Mapping[str, Any], after: Mapping[str, Any], assigned: Mapping[str, Any]
) -> bool:
    """Tell whether a rule holds.

    Raises:
        NotExplored: it has no value.
    """
    value = rule.code.value(now, after)
    if value is UNDEFINED:
        raise NotExplored
    return includes(value, True if rule.target is None else assigned[rule.target])
