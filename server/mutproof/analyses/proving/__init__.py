"""Properties proved on a model, and faults of the model that they depend on."""
