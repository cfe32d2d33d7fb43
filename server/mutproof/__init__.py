"""Mutation proof for Lustre and NuSMV models."""


def __getattr__(name: str) -> str:
    """Look up the version on demand, as that is slow."""
    if name != "__version__":
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mutproof")
    except PackageNotFoundError:  # a source tree that is not installed
        return "0.0.0"
