"""Mutation proof for Lustre and NuSMV models."""


def __getattr__(name: str) -> str:
    """Return the version when it is asked for: to look it up takes longer than all else here."""
    if name != "__version__":
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mutproof")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"
