"""`mutproof mutate`: which small changes of the models do the proved properties not see?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mutproof.cli import arguments as shared
from mutproof.cli import changes, gate, option_values, resuming, shards
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode
from mutproof.workspace.options import MOST_PAIRS


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser)
    shared.add_mutation(parser)
    _add_pairs(parser)
    changes.add_changes(parser)
    shared.add_equivalence(parser, default=None)
    shared.add_questions(parser)
    shared.add_certificates(parser)
    shared.add_traces(parser)
    shared.add_output(parser)
    group = gate.add_gate(parser, gate.MUTANT_FAILURES, gate.MUTANT_GATE)
    gate.add_threshold(group)
    gate.add_baseline(parser)
    shards.add_shard(parser)
    resuming.add_resume(parser)


def _add_pairs(parser: ArgumentParser) -> None:
    """Add whether pairs of mutants are decided, too."""
    group = parser.add_argument_group("duplicates")
    group.add_argument(
        "--duplicates",
        action="store_true",
        help="say which mutants of an element are the same function, and the score with each"
        " function counted once",
    )
    group = parser.add_argument_group("pairs")
    group.add_argument(
        "--order",
        type=int,
        choices=(1, 2),
        default=1,
        metavar="N",
        help="2: decide pairs of mutants too, both gaps or both killed by the same property alone"
        " (see `mutproof explain pair`); they do not count in the score (default 1)",
    )
    group.add_argument(
        "--most-pairs",
        type=option_values.positive,
        default=MOST_PAIRS,
        metavar="N",
        help=f"decide at most N pairs of each file (default {MOST_PAIRS})",
    )


def run(arguments: Namespace) -> ExitCode:
    """Prove the properties, mutate the design, and report what became of each mutant.

    Raises:
        UserError: what was asked for does not exist, or the report cannot be written.
    """
    options = shared.options(arguments, mutate=True)
    arguments.earlier_texts = changes.earlier_texts(arguments)
    resuming.check(arguments)
    is_part = options.shard[1] > 1
    if is_part:
        shards.check(arguments)
        # Gate and baseline apply to the whole, once the shards are merged.
        arguments.baseline, arguments.threshold = None, None
    if arguments.cluster is not None:
        shards.check_cluster(arguments)
    from mutproof.cli import launch

    with launch.launched(arguments) as worker:
        from mutproof.cli import session, verdicts

        fails = () if is_part else gate.mutant_gate(arguments.fail_on, arguments.threshold)
        return session.report(
            arguments,
            "mutate",
            options,
            lambda file: verdicts.of_mutants(file, fails),
            launched=worker,
            overall=lambda files: verdicts.of_score(files, arguments.threshold),
            then=resuming.told if arguments.resume else None,
        )


COMMAND = Command(
    "mutate",
    "show which small changes of a model no proved property notices",
    configure,
    run,
    (
        ("mutproof mutate examples/demo2.lus --level paper", "Figure 5 of the first paper"),
        ("mutproof mutate model.lus --format json --output report.json", "for report viewers"),
        ("mutproof mutate model.lus --operators g2ge,or2xor --stats", "two operators only"),
        ("mutproof mutate models/ --since main", "what the changes since then concern"),
        ("mutproof mutate models/ --format github --threshold 80", "a gate in a workflow"),
    ),
)
