"""What an execution is run for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mutproof.base.record import dataclass

if TYPE_CHECKING:
    from mutproof.model.edited_run import EarlierRun


@dataclass(frozen=True, slots=True)
class Purpose:
    """Say what an execution is run for: what else there is may be left out of it.

    With `partly`, only the part of a large program may be run that other bodies can affect, and
    what that depends on; the properties left out are not affected. With `goals`, only what decides
    these properties, about which alone the execution says anything then; from the run `before` an
    edit, on the same choices, where that suffices. Goals that are to fail `by` some steps matter up
    to these only; the trace may end where the first has failed.
    """

    partly: bool = False
    goals: frozenset[str] | None = None
    before: EarlierRun | None = None
    by: Mapping[str, int] | None = None


EVERYTHING: Final = Purpose()
AFFECTED: Final = Purpose(partly=True)
