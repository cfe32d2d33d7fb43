"""Decide mutants: claims, the rungs that propose candidates, and the ladder that runs them."""
