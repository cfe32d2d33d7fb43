"""The traits of Lustre."""

from __future__ import annotations

from mutproof.model.traits import Traits

TRAITS = Traits("lustre", "Lustre")
