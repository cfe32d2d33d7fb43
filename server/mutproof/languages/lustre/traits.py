"""What others need to know of Lustre when they work on its programs."""

from __future__ import annotations

from mutproof.model.traits import Traits

TRAITS = Traits("lustre", "Lustre")
