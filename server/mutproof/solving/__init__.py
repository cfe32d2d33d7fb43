"""Proving and refuting: solver, engines, certificates."""
