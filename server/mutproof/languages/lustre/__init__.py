"""The Lustre front end (JKind 4.6)."""
