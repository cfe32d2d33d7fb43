"""Passes, each of which removes one construct from terms."""
