"""The language server protocol."""
