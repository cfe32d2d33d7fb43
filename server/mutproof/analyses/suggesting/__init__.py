"""Properties to add: found by search, proved and seen to kill before anybody is offered them."""
