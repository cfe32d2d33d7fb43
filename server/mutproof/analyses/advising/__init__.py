"""Advice about models: meta-properties that every model should have, each a few questions."""
