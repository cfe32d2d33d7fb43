"""Run the command line: `mutproof`, or `python -P -m mutproof`."""

from __future__ import annotations

from typing import NoReturn

from mutproof.base import bootstrap


def main() -> NoReturn:
    """Run the command line of this process, with the modules that are installed, and end it."""
    bootstrap.keep_installed_modules()
    from mutproof.cli import early

    early.end_quietly()
    from mutproof.cli.main import run

    run()


if __name__ == "__main__":
    main()
