"""What confirms: the notary, the oracle on random executions, certificates."""
