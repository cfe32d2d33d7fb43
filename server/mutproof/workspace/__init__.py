"""The pipeline as memoised values, without input or output."""
