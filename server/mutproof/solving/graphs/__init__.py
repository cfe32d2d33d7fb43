"""Systems with few reachable states: each state is visited, and formulas are labels of states."""
