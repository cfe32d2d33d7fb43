"""Run the command line: `mutproof`, or `python -P -m mutproof`."""

from __future__ import annotations

from mutproof.base import bootstrap


def main() -> None:
    """Run the command line of this process, with the modules that are installed, and end it."""
    bootstrap.keep_installed_modules()
    from mutproof.base.collection import collect_rarely
    from mutproof.cli import early

    collect_rarely()
    early.end_quietly()
    early.open_streams()
    from mutproof.cli.main import run

    run()


if __name__ == "__main__":
    main()
