"""What is computed about a model and its properties."""
