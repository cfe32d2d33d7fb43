"""Suites of tests from what kills mutants and tells them from the model."""
