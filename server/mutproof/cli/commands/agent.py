"""`mutproof agent`: decide mutants for runs on other machines."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("address", metavar="ADDRESS", help="a Dask scheduler, such as tcp://h:8786")
    group = parser.add_argument_group("workers")
    shared.add_jobs(group, "workers at the same time")
    shared.add_memory(group)


def run(arguments: Namespace) -> ExitCode:
    """Serve a scheduler until it ends, or a signal comes.

    Raises:
        UserError: Dask is not installed, or no scheduler answers.
    """
    import asyncio

    from mutproof.base import shared_store, store
    from mutproof.base.text import counted
    from mutproof.cli import clusters, runner, session

    clusters.require_dask()
    from mutproof.runtime import agent
    from mutproof.runtime.jobs import default_jobs

    jobs = arguments.jobs or default_jobs()
    most_bytes = session.most_bytes(arguments, jobs)

    for warning in (store.warning(), shared_store.warning()):
        if warning is not None:
            sys.stderr.write(f"warning: {warning}\n")

    def say_serving(address: str) -> None:
        workers = counted(jobs, "worker")
        sys.stderr.write(f"serving {arguments.address} with {workers} at {address}\n")
        sys.stderr.flush()

    async def main(stop: runner.Stop) -> None:
        serving = asyncio.ensure_future(
            agent.serve(arguments.address, jobs, most_bytes, say_serving)
        )
        stopped = asyncio.ensure_future(stop.event.wait())
        await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        serving.cancel()
        await asyncio.wait({serving})
        if not serving.cancelled() and (error := serving.exception()) is not None:
            raise error

    try:
        with asyncio.Runner() as loop:
            _, stopped = runner.run(main, loop)
    except agent.NoSchedulerError as error:
        way_out = "`dask scheduler` starts one; agents stay for as long as it does"
        raise UserError("no-cluster", str(error), way_out=way_out) from error
    return ExitCode.OK if stopped is None else stopped


COMMAND = Command(
    "agent",
    "decide mutants for runs on other machines",
    configure,
    run,
    (
        ("mutproof agent tcp://head:8786", "after `dask scheduler` on the machine head"),
        ("mutproof mutate models/ --cluster tcp://head:8786", "on any machine that reaches it"),
    ),
)
