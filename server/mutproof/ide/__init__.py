"""Editor features as plain values."""
