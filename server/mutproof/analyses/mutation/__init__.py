"""Mutants and their verdicts."""
