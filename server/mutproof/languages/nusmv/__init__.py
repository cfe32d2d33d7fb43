"""The NuSMV front end."""
