"""Recorded suites of tests: read back, run, and explained."""
