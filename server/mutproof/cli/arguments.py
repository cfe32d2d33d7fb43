"""Arguments that several commands share, and the options they stand for."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from mutproof.base.budget import Budget
from mutproof.cli import option_values
from mutproof.reporters import REPORTERS
from mutproof.reporters.trace_formats import TRACE_FORMATS
from mutproof.workspace.options import GRANULARITIES, LEVELS, Options

COLOURS = ("auto", "always", "never")
CERTIFY_TIMEOUT_S = 60.0
OBSERVED = {"outputs": "outputs", "all": "all variables"}


def add_files(parser: ArgumentParser, more: str = "") -> None:
    """Add the files and folders to work on; `more` says what else may stand there."""
    models = "a model, or a folder of models (recursed)"
    parser.add_argument("files", nargs="+", metavar="FILE", help=models + more)


def add_written_model(parser: ArgumentParser) -> None:
    """Add the output file of a model made from another one; see `console.write_model`."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        default=None,
        help="write the model to a file, not standard output",
    )


def add_questions(parser: ArgumentParser) -> None:
    """Add which properties are decided in each file, and the limits of effort."""
    budget = Budget()
    group = parser.add_argument_group("questions")
    group.add_argument(
        "--property",
        dest="properties",
        action="append",
        default=[],
        metavar="NAME",
        help="only this property (may be repeated)",
    )
    group.add_argument(
        "--rlimit",
        type=option_values.whole,
        default=budget.rlimit,
        metavar="N",
        help=f"solver resource units for one question, 0 for no limit (default {budget.rlimit})",
    )
    group.add_argument(
        "--timeout",
        type=option_values.seconds,
        default=budget.timeout_s,
        metavar="S",
        help=f"seconds for one question, a backstop (default {budget.timeout_s:g})",
    )
    group.add_argument(
        "--file-timeout",
        dest="timeout_s",
        type=option_values.seconds,
        default=float("inf"),
        metavar="S",
        help="seconds for a whole file; what is left is unknown (default: none)",
    )
    add_jobs(group, "workers at the same time, for files and for shares of long files")
    add_memory(group)
    group.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        help="recall nothing of earlier runs and keep nothing (see `mutproof cache`)",
    )
    add_configuration(parser)


def add_configuration(parser: ArgumentParser) -> None:
    """Add which file of settings is used."""
    group = parser.add_argument_group(
        "settings", "--no-X undoes what a file says of --X, and --X what it says of --no-X"
    )
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--config",
        metavar="FILE",
        default=None,
        help="read settings from this file (default: the nearest mutproof.toml, or pyproject.toml"
        " with [tool.mutproof], in the folder of a model or above it; see `mutproof config`)",
    )
    which.add_argument(
        "--no-config", action="store_true", help="read no settings from files, only these options"
    )


def add_memory(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Add how much memory a worker may use."""
    parser.add_argument(
        "--memory",
        type=option_values.positive,
        default=None,
        metavar="MIB",
        help="mebibytes that a worker may use; what needs more is unknown"
        " (default: most of the machine, divided among the workers)",
    )


def add_jobs(parser: ArgumentParser | _ArgumentGroup, what: str) -> None:
    """Add the number of parallel jobs."""
    parser.add_argument(
        "--jobs",
        type=option_values.positive,
        default=None,
        metavar="N",
        help=f"{what} (default: one for each processor)",
    )


def add_mutation(parser: ArgumentParser) -> None:
    """Add which mutants are made."""
    group = parser.add_argument_group("mutants")
    group.add_argument(
        "--level",
        choices=LEVELS,
        default="default",
        help="how many mutation operators: default, paper (those of its figures) or all",
    )
    group.add_argument(
        "--operators",
        type=option_values.operators,
        default=(),
        metavar="A,B",
        help="only these mutation operators (`mutproof explain` lists them)",
    )
    group.add_argument(
        "--most-mutants",
        type=option_values.positive,
        default=0,
        metavar="N",
        help="decide a sample of at most N mutants of each file, spread over all elements;"
        " always the same one (default: all)",
    )
    group.add_argument(
        "--strategy",
        type=option_values.strategy,
        default=option_values.DEFAULT_STRATEGY,
        metavar="NAME",
        help="how mutants are decided: default, push-pop (the first paper's) or restart;"
        " all come to the same verdicts",
    )


def add_equivalence(parser: ArgumentParser, *, default: str | None) -> None:
    """Add what is compared to tell equivalent survivors from gaps; default None: no comparison."""
    group = parser.add_argument_group("survivors")
    group.add_argument(
        "--all-mutants",
        action="store_true",
        help="show every gap, not one for each behaviour that follows from no other one;"
        " what is counted is the same",
    )
    if default is None:
        group.add_argument(
            "--invariants",
            action="store_true",
            help="say which mutants break facts, invariants of the model that the engines find;"
            " with --equivalence",
        )
        group.add_argument(
            "--equivalence",
            action="store_true",
            help="tell equivalent survivors from gaps",
        )
        group.add_argument(
            "--observe",
            choices=tuple(OBSERVED),
            default=None,
            help="likewise, by outputs (as --equivalence does) or all variables",
        )
        return
    group.add_argument(
        "--observe",
        choices=tuple(OBSERVED),
        default=default,
        help="what is compared: outputs, or all variables; all where every output is a"
        " property that holds (default: outputs)",
    )
    group.add_argument(
        "--outputs",
        type=option_values.names,
        default=(),
        metavar="A,B",
        help="compare these variables; for NuSMV this asks which mutants a tester can kill who"
        " sees only them",
    )
    group.add_argument(
        "--inputs",
        type=option_values.names,
        default=(),
        metavar="A,B",
        help="with --outputs, for NuSMV: the variables that the tester sets",
    )
    group.add_argument(
        "--mutant",
        dest="survivors",
        action="append",
        default=[],
        metavar="ID",
        help="only this survivor (may be repeated; reports print the ids)",
    )


def add_cores(parser: ArgumentParser) -> None:
    """Add which minimal cores are sought, and for how long."""
    group = parser.add_argument_group("cores")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--all",
        dest="core_search",
        action="store_const",
        const="all",
        default="one",
        help="all minimal cores of each property, so that MUST and MAY are exact",
    )
    which.add_argument(
        "--minimum",
        dest="core_search",
        action="store_const",
        const="smallest",
        default="one",
        help="a core with the fewest elements, not just one from which nothing can go",
    )
    group.add_argument(
        "--limit",
        dest="core_limit",
        type=option_values.positive,
        default=0,
        metavar="N",
        help="at most N cores of a property; the report says when there may be more",
    )
    group.add_argument(
        "--search-timeout",
        dest="core_seconds",
        type=option_values.seconds,
        default=float("inf"),
        metavar="S",
        help="seconds for the cores of one property; what was found until then is reported",
    )
    group.add_argument(
        "--granularity",
        choices=GRANULARITIES,
        default="element",
        help="what can go alone: an equation in all instances of its node or module, or in one",
    )


def add_certificates(parser: ArgumentParser) -> None:
    """Add whether proofs are checked by another solver."""
    group = parser.add_argument_group("certificates")
    group.add_argument(
        "--certify",
        metavar="DIR",
        default=None,
        help="prove all anew, write the certificate of every proof into a folder, and have cvc5"
        " check each",
    )
    add_certify_timeout(group)


def add_certify_timeout(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Add how long another solver may take for a certificate."""
    parser.add_argument(
        "--certify-timeout",
        type=option_values.seconds,
        default=CERTIFY_TIMEOUT_S,
        metavar="S",
        help=f"seconds for one certificate (default {CERTIFY_TIMEOUT_S:g})",
    )


def add_traces(parser: ArgumentParser) -> None:
    """Add whether traces are written to files of their own."""
    group = parser.add_argument_group("traces")
    group.add_argument(
        "--traces",
        metavar="DIR",
        default=None,
        help="write each trace into a file of this folder",
    )
    group.add_argument(
        "--trace-format",
        choices=TRACE_FORMATS.names(),
        default=TRACE_FORMATS.names()[0],
        help=f"{TRACE_FORMATS.purposes()} (default {TRACE_FORMATS.names()[0]})",
    )


def add_output(
    parser: ArgumentParser,
    *,
    formats: bool = True,
    choices: tuple[str, ...] = REPORTERS.names(),
    other: tuple[Callable[[str], str], str] | None = None,
    short: tuple[str, ...] = ("-o",),
) -> None:
    """Add how the report looks and where it goes; `short` are other names of `--output`."""
    group = parser.add_argument_group("report")
    if formats:
        if other is None:
            group.add_argument(
                "--format", choices=choices, default="text", help=REPORTERS.purposes(choices)
            )
        else:
            named, purposes = other
            group.add_argument(
                "--format", type=named, default="text", metavar="NAME", help=purposes
            )
        group.add_argument(
            *short,
            "--output",
            metavar="PATH",
            help="write the report to this file",
        )
    else:
        parser.set_defaults(format="text", output=None)
    group.add_argument(
        "--stats", action="store_true", help="say how verdicts were obtained, count solver calls"
    )
    group.add_argument(
        "--no-timings",
        action="store_true",
        help="leave out times, and without --stats by what mutants were decided, so that the same"
        " input gives the same bytes (with --no-cache also after other runs)",
    )
    group.add_argument(
        "--color",
        choices=COLOURS,
        default="auto",
        help="colours: auto (on a terminal, unless NO_COLOR is set), always or never",
    )
    group.add_argument("--no-progress", action="store_true", help="draw no progress bar")
    group.add_argument(
        "--quiet", action="store_true", help="write the report and errors, nothing else"
    )


def options(arguments: Namespace, *, mutate: bool, cores: bool = True) -> Options:
    """Return the options that the arguments give; most have the same names."""
    chosen: dict[str, Any] = {
        field.name: tuple(value) if isinstance(value, list) else value
        for field in fields(Options)
        if (value := getattr(arguments, field.name, None)) is not None
    }
    chosen |= {
        "mutate": mutate,
        "cores": cores,
        "budget": Budget(arguments.rlimit, arguments.timeout),
        "equivalence": _observed(arguments),
        "certify": getattr(arguments, "certify", None) is not None,
    }
    return Options(**chosen)


def _observed(arguments: Namespace) -> str:
    chosen = getattr(arguments, "observe", None)
    if chosen is None and getattr(arguments, "equivalence", False):
        chosen = "outputs"
    return "" if chosen is None else OBSERVED[chosen]
