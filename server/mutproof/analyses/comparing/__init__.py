"""What a change of a model concerns: both versions compared by what they mean."""
