"""Values without domain knowledge, on which every other layer stands."""
