"""The engines of the portfolio."""
