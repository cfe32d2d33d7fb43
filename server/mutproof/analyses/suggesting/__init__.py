"""Properties to add: found by search, and proved on the model and seen to kill before offered."""
