"""`mutproof merge`: the report of one run from the reports of its shards."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mutproof.cli import arguments as shared
from mutproof.cli import gate
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a report of `mutproof mutate --shard`"
    )
    parser.add_argument(
        "--all-mutants", action="store_true", help="show every gap, not one for each behaviour"
    )
    parser.add_argument(
        "--recheck",
        action="store_true",
        help="replay every kill before it is believed; exit code 70 where that shows none, unknown"
        " where nothing can (survivors are believed: reports hold no certificates)",
    )
    shared.add_traces(parser)
    shared.add_output(parser)
    group = gate.add_gate(parser, gate.MUTANT_FAILURES, gate.MUTANT_GATE)
    gate.add_threshold(group)
    gate.add_baseline(parser)
    parser.set_defaults(no_progress=True)


def run(arguments: Namespace) -> ExitCode:
    """Report what shards found as `mutproof mutate` reports what one run finds.

    Raises:
        UserError: these are not all shards of one run, they contradict each other or what can be
            replayed, or the report cannot be written.
    """
    from mutproof.base.text import counted
    from mutproof.cli import inputs, result, session, shards, verdicts
    from mutproof.cli.console import Console

    console = Console.of(arguments, arguments.files)
    parts = shards.opened(arguments.files)
    results = shards.joined(parts)
    if arguments.recheck:
        from mutproof.cli import shard_checks

        results, seen, without = shard_checks.replay(parts, results)
        console.message(f"{counted(seen, 'kill')} replayed, {without} unknown: nothing shows them")
    own = {file.path: file.options for file in parts[0].files}
    found = frozenset(file.path for file in parts[0].files if not file.is_named)
    expanded = inputs.Expanded(tuple(own), found, ())
    arguments.no_timings |= not all(part.has_timings for part in parts)
    fails = gate.mutant_gate(arguments.fail_on, arguments.threshold)
    return session.told(
        arguments,
        "mutate",
        parts[0].options,
        lambda file: verdicts.of_mutants(file, fails),
        console=console,
        ended=result.EndedRun(results, None, expanded, own.__getitem__),
        baseline=session.accepted_gaps(arguments),
        overall=lambda files: verdicts.of_score(files, arguments.threshold),
    )


COMMAND = Command(
    "merge",
    "join the reports of shards into the report of one run",
    configure,
    run,
    (
        ("mutproof merge shard-*.json", "after `mutate --shard 1/3 … --output shard-1.json` …"),
        ("mutproof merge shard-*.json --format json --output all.json", "for report viewers"),
    ),
)
