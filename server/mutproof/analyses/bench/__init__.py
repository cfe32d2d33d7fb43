"""Solver setups that many variants of a model share."""
