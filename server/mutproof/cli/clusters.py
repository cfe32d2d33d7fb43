"""Runs on many machines: the agents of a Dask scheduler instead of workers on this one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from mutproof.cli.failure import UserError

if TYPE_CHECKING:
    from mutproof.cli.console import Console
    from mutproof.cli.runner import Stop
    from mutproof.runtime.cluster import Cluster

PATIENCE_S: Final = 2.0
"""The seconds after which missing agents are reported."""

INSTALL: Final = "pip install 'mutproof[cluster]'"


def require_dask() -> None:
    """Make sure that Dask can be imported.

    Raises:
        UserError: it is not installed.
    """
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        way_out = f"`{INSTALL}` on all machines"
        raise UserError("no-cluster", "Dask is not installed", way_out=way_out) from error


@asynccontextmanager
async def joined(
    address: str, stop: Stop, console: Console, *, cache: bool
) -> AsyncIterator[Cluster]:
    """Provide the agents of a scheduler, once there are any or the user has interrupted.

    Raises:
        UserError: Dask is not installed, or no scheduler answers.
    """
    require_dask()
    from mutproof.runtime.cluster import Cluster, ClusterError

    try:
        cluster = await Cluster.connected(address, cache=cache)
    except ClusterError as error:
        way_out = f"`{INSTALL}` on all machines, `dask scheduler` on one"
        raise UserError("no-cluster", str(error), way_out=way_out) from error
    way_out = "run it again with another one: what agents have found out they have kept"
    try:
        if not await cluster.manned(PATIENCE_S):
            others = f"; {cluster.others} are of another version" if cluster.others else ""
            console.problem(
                f"waiting for agents at {address}{others}: `mutproof agent {address}` starts one"
            )
            manned = asyncio.ensure_future(cluster.manned())
            stopped = asyncio.ensure_future(stop.event.wait())
            await asyncio.wait({manned, stopped}, return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            if manned.done():
                manned.result()
            manned.cancel()
        yield cluster
    except ClusterError as error:
        raise UserError("no-cluster", str(error), way_out=way_out) from error
    finally:
        await cluster.close()
