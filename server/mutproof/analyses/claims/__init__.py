"""What is asked about a model and what is answered, as plain values without positions."""
