"""Code actions, one per file."""
