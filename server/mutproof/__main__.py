"""Run the command line: `python -m mutproof`."""

from mutproof.cli.main import run

if __name__ == "__main__":
    run()
