"""Inductive validity cores: which equations the proofs of properties need."""
