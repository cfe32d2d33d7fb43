"""The languages a model can be written in."""
