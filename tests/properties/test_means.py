"""Shares of a budget are limits as long as it has any."""

from __future__ import annotations

import pytest

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.base.budget import Budget
from mutproof.solving.spacer_process import SpacerProcess


@pytest.mark.parametrize(("units", "least"), [(0, 0), (1, 1), (19, 1), (400, 20)])
def test_a_share_of_few_units_is_not_without_limit(units: int, least: int) -> None:
    means = Means(Budget(units, 60.0), SpacerProcess(), Benches(), lambda: None)
    assert least == means.small.rlimit <= means.middle.rlimit
    assert (means.small.timeout_s, means.middle.timeout_s) == (5.0, 15.0)
