"""The outside world: processes, files, time."""
