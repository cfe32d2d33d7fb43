"""What a model means; knows no language and no solver."""
