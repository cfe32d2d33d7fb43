"""The workers of a command on any number of files: on this machine, or the agents of a cluster."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence

from mutproof.analyses.claims.finding import CertificateFinding
from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.cli import clusters, runner
from mutproof.cli.console import Console
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.launch import Launched
from mutproof.cli.result import Result, Watcher
from mutproof.cli.runner import Stop, Workers
from mutproof.runtime.jobs import default_jobs
from mutproof.runtime.pool import ATTEMPTS, Pool
from mutproof.runtime.team import Team
from mutproof.workspace.options import Options


@dataclass(frozen=True, slots=True)
class RunOfFiles:
    """Hold what is to be done with files; as `runner.Workers`, before there are any workers.

    `deadline` is that of a file whose first worker died.
    """

    options: Options
    arguments: Namespace
    console: Console
    watcher: Watcher
    keep: Callable[[CertificateFinding], None] | None
    own: Callable[[str], Options]
    most_bytes: int | None
    deadline: Deadline | None = None


def analysed(
    names: Sequence[str], wanted: RunOfFiles, launched: Launched
) -> tuple[tuple[Result, ...], ExitCode | None]:
    """Return the results on files, and the code of the signal that ended the run, if any.

    Raises:
        UserError: what was asked for does not exist, or there is no such cluster.
    """
    options, arguments, console = wanted.options, wanted.arguments, wanted.console
    jobs = arguments.jobs or default_jobs()

    async def on_cluster(stop: Stop) -> tuple[Result, ...]:
        joined = clusters.joined(arguments.cluster, stop, console, cache=launched.cache)
        async with joined as cluster:
            team = Team(cluster, cluster.capacity, len(names), lends=True)

            def resized(capacity: int) -> None:
                team.resize(capacity)
                if not capacity:
                    console.problem(f"all agents at {arguments.cluster} are gone: waiting")

            cluster.changed = resized
            # The scheduler gets files before agents need them.
            slots = max(2, 2 * cluster.capacity)
            workers = Workers(team, options, slots, wanted.watcher, own=wanted.own, queues=True)
            return await runner.analysed(names, workers, stop)

    async def main(stop: Stop) -> tuple[Result, ...]:
        # A worker that died in `alone` has used up one attempt, and what it recalled the cache.
        died = launched.fork is not None and launched.fork.returncode is not None
        pool = Pool(
            max_alive=jobs,
            cache=launched.cache and not died,
            spare=None if died else launched.worker,
            most_bytes=wanted.most_bytes,
            attempts=ATTEMPTS - died,
        )
        try:
            team = Team(pool, jobs, len(names))
            workers = Workers(
                team,
                options,
                jobs,
                wanted.watcher,
                wanted.keep,
                wanted.own,
                deadline=wanted.deadline,
            )
            return await runner.analysed(names, workers, stop)
        finally:
            await pool.close()

    far = getattr(arguments, "cluster", None) is not None
    return runner.run(on_cluster if far else main, launched.loop)
