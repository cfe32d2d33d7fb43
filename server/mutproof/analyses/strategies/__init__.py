"""The strategies of mutation proof: one file and one line each."""

from mutproof.analyses.deciding.strategy import Strategy
from mutproof.analyses.strategies import default, push_pop, restart
from mutproof.base.registry import Registry

STRATEGIES: Registry[Strategy] = Registry(
    "strategy", (default.STRATEGY, push_pop.STRATEGY, restart.STRATEGY)
)
