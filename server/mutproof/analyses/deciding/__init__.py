"""One gate for verdicts: what is said to be so was checked here."""
