"""The mutation operators."""
