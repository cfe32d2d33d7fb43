"""What confirms verdicts: the notary, random executions in the oracle, and certificates."""
