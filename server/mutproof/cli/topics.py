"""What `mutproof explain` can explain: words, mutation operators, codes of diagnostics."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mutproof.base.record import dataclass
from mutproof.cli.glossary import GLOSSARY

if TYPE_CHECKING:
    from mutproof.analyses.mutation.mutator import Mutator

_DEFECT = (
    "A proof was accepted by the solver that checks it, and an execution in the evaluator"
    " contradicts it. The verdict is withdrawn and reported as unknown. This is a defect of"
    " mutproof; please report it with the model."
)

CODES: Mapping[str, str] = {
    "usage": "The command line is not understood. `mutproof COMMAND --help` lists what is.",
    "file-not-found": "There is no file or folder of that name, relative to the current folder.",
    "not-requirements": "The file is no JSON with a list of FRET's requirements (`reqid`).",
    "file-unreadable": "The file exists but cannot be read; the message gives the system's reason.",
    "not-utf-8": "Models are read as UTF-8; their comments may hold any other bytes, which are"
    " read as Latin-1 and kept. `iconv -f LATIN1 -t UTF-8 OLD > NEW` converts a file.",
    "not-a-text": "The file contains NUL characters, so it is not a text file.",
    "out-of-time": "The file was not read within --file-timeout (in an editor: 60 seconds); "
    "its properties are unknown.",
    "file-too-big": "The file is too large to read; the message says how large a model may be.",
    "unknown-language": "The language of a model is recognised by the suffix of its file name.",
    "analysis-broken-off": (
        "The process that analysed the file died twice, or hit a defect. What it had not decided"
        " is reported as unknown, never as proved. The action `Prove again` starts it once more."
    ),
    "out-of-memory": (
        "A worker exceeded its memory limit and was stopped; what it had not decided is unknown."
        " `--memory` and the setting `mutproof.memoryMegabytes` change the limit."
    ),
    "number-too-large": (
        "Repeated multiplication doubles the length of a number at each step. Numbers of more than"
        " 100 000 bits are not computed, and what depends on them is unknown."
    ),
    "no-models": "The folder and its subfolders contain no file with the suffix of a language.",
    "no-main": "The file declares nothing that could be analysed as the main component.",
    "no-property": "The file states no property: nothing can be proved and no mutant killed.",
    "configuration": (
        "Settings are read from the nearest mutproof.toml (or pyproject.toml with a table"
        " [tool.mutproof]); the keys are the options of commands without dashes in front. Keys that"
        " there are not are refused, and so are values that the options would not take."
    ),
    "baseline": (
        "`--baseline` names a file of accepted gaps: JSON with a version and a list `accepted`. A"
        " gap has `file` (from the folder of the baseline), `mutant` (its id), and what is to be"
        " said: `reason`, `author`, `date` and `expires` (YYYY-MM-DD)."
    ),
    "no-repository": (
        "`mutproof mutate --since` asks git what files were at a revision: git has to be there, and"
        " the models in one of its repositories that this account may read."
    ),
    "unknown-revision": (
        "The revision behind `--since` is none that the repository has. What is fetched for a job"
        " may lack earlier commits: fetch them, as `fetch-depth: 0` does in GitHub's workflows."
    ),
    "not-a-diff": (
        "`mutproof mutate --in-diff` reads a unified diff, as `git diff` and `diff -u` write it."
    ),
    "unfit-diff": (
        "The diff behind `--in-diff` has to lead to the models as they are now, and name them from"
        " the top of the repository or the current folder: undone, it tells what they were before."
    ),
    "not-a-shard": (
        "`mutproof merge` reads JSON reports of `mutproof mutate --shard K/N`, left as they were."
    ),
    "shard-version": (
        "Shards are merged by the mutproof, Python and solvers that made them: other ones could"
        " have come to other verdicts."
    ),
    "shard-content": (
        "Shards of one run are of the same files, in the same order, with the same texts and names."
    ),
    "shard-options": (
        "Shards of one run are made with the same options, those of files of settings included."
    ),
    "shard-count": "Shards of one run are of the same number: 1/4, 2/4, 3/4 and 4/4.",
    "shard-overlap": "Two reports are of the same shard; each mutant belongs to one of them only.",
    "shard-missing": (
        "Without all shards of a run some mutants would be left out, so nothing is reported."
    ),
    "no-cluster": (
        "Nothing answers at the address of --cluster, or Dask is not installed: `pip install"
        " 'mutproof[cluster]'` on all machines, `dask scheduler` on one, `mutproof agent` on each."
    ),
    "shard-contradiction": (
        "Two reports decide the same property or mutant differently: a defect, or a report that was"
        " changed. Nothing is reported."
    ),
    "shard-refuted": (
        "`mutproof merge --recheck` replayed the execution that is said to kill a mutant, and no"
        " property is violated: the report is not to be believed."
    ),
    "shard-unfinished": "A shard that was interrupted has not decided all of its mutants.",
    "shard-baseline": (
        "Mutants are judged by the properties that are proved. Where a time-out left one unknown in"
        " one shard and not in another, their verdicts do not belong together."
    ),
    "unknown-operator": "`--operators` names something that is not a mutation operator.",
    "unknown-strategy": "`--strategy` names something that is not a strategy for deciding mutants.",
    "unknown-property": "`--property` names something that no file states as a property.",
    "unknown-element": (
        "`--element` names something that is no element of any file: an equation is called by its"
        " variable, with its node before it where that is needed (`node.variable`)."
    ),
    "unknown-mutant": (
        "`--mutant` names something that is no mutant of any file. Reports print the id of each;"
        " it changes when the place that is mutated does."
    ),
    "unknown-meta-property": "`--select` names what is neither a meta-property nor advice.",
    "unknown-form": "`--as` names something that is not a form of test suites.",
    "no-such-format": "`--format` names a language, and no file is in that one.",
    "unknown-variable": "`--outputs` or `--inputs` name something that no file has as a variable.",
    "not-comparable": (
        "`mutproof equivalent` compares main nodes with the same inputs and outputs, by name and"
        " type."
    ),
    "unusable-model": "The model has errors; `mutproof prove` says all of them.",
    "nothing-to-control": "Only NuSMV has choices that `mutproof control` can make inputs of.",
    "not-controlled": "A defect of mutproof: the model with inputs for choices has an error.",
    "not-a-suite": (
        "The file is not a suite of tests as `mutproof tests -o DIR` writes it (`NAME.suite.json`)."
    ),
    "not-a-table": "A table of recorded outputs does not have the columns and rows of the suite.",
    "not-runnable": "What `--against` names cannot be started, or is not a command line.",
    "not-projectable": "A form of tests cannot say something that the suite has, such as a type.",
    "no-address": "`--tcp` and `--ws` need a host and a port, such as 127.0.0.1:9257.",
    "address-unusable": "Another program listens on that port, or this account may not use it.",
    "unknown-topic": "`mutproof explain` without arguments lists all that can be explained.",
    "cannot-write": "The file of a model could not be written, and is as it was.",
    "output-unwritable": "The report could not be written where `--output` says.",
    "certify-folder": (
        "`--certify` names a folder that cannot be written or that holds something other than"
        " certificates. Certificates of an earlier run are replaced."
    ),
    "evidence-folder": (
        "`--evidence` names a folder that cannot be written or that holds files other than"
        " evidence. That of an earlier run is replaced."
    ),
    "changed-meanwhile": "What was found is of an older text of the model: run the command again.",
    "no-certificates": "The folder has no index of certificates that could be checked.",
    "solver-missing": (
        "Certificates are checked by another solver than the one that found the proofs:"
        " `pip install 'mutproof[certify]'` installs cvc5."
    ),
    "certificate-refuted": (
        "Another solver found a counterexample to the certificate of a proof. The verdict is"
        " reported as unknown. This is a defect; please report it with the script."
    ),
    "nothing-to-mutate": (
        "The model has no mutants, so its score of 0/0 says nothing. Only the design is mutated: a"
        " model whose equations all state properties has none. If you chose operators, perhaps none"
        " of them applies. The exit code is that of the properties."
    ),
    "no-initial-state": (
        "No state satisfies all constraints on the first state (assertions; INIT and INVAR), so"
        " every property holds vacuously."
    ),
    "dead-end": (
        "The model reaches a state, or a sequence of inputs, after which no step satisfies its"
        " assertions or constraints. Executions end there: properties say nothing about what would"
        " come after, and if all executions end, proofs by induction may hold vacuously."
    ),
    "no-dead-end": (
        "It is proved that assertions or constraints let every execution go on: after each step"
        " there is another one. (In Lustre: some fixed way to choose the inputs always works.)"
    ),
    "perhaps-dead-end": (
        "Assertions or constraints may bring executions to an end. The search found no end within"
        " the steps that the message names, nor along random executions; a cheap attempt to prove"
        " that there is none failed. Properties say nothing about what would come after such an"
        " end."
    ),
    "refuted-proof": _DEFECT,
    "refuted-survivor": _DEFECT,
    "refuted-equivalence": _DEFECT,
    "ambiguous-loop": (
        "The equations of an instantaneous loop are constraints; here several values satisfy them"
        " after the same inputs. A property is proved only if it holds for all of them. A"
        " survivor that is not proved equivalent stays undetermined: the difference that was"
        " found may be one between two solutions of the model."
    ),
    "unsolvable-loop": (
        "The equations of an instantaneous loop are constraints; after some inputs no values"
        " satisfy them. Such executions are left out, as if an assertion excluded them, so"
        " properties say nothing about these inputs."
    ),
    "out-of-bounds": (
        "In some execution an index is outside the bounds of its array; a shortest such execution"
        " is shown. As in JKind that is legal: the last element is read, or nothing is written."
        " There is no warning where `if`, `and`, `or`, `=>` or `->` make the value irrelevant, or"
        " where the index is proved to be in bounds. What surrounds the call of a node has no such"
        " effect on the indices in the node."
    ),
    "perhaps-out-of-bounds": (
        "A small part of the budget did not suffice to prove that an index stays in the bounds of"
        " its array, and no execution was found in which it leaves them. State a property that"
        " bounds the index to spend the whole budget on it."
    ),
    "zero-divisor": (
        "In some execution a divisor of Lustre's `/`, `div` or `mod` is zero; a shortest such"
        " execution is shown. The result is arbitrary then, the same for the same dividend:"
        " properties are proved for all such results. There is no warning where `if`, `and`, `or`,"
        " `=>` or `->` make the value irrelevant, or where the divisor is proved not to be zero."
    ),
    "perhaps-zero-divisor": (
        "A small part of the budget did not suffice to prove that a divisor is not zero, and no"
        " execution was found in which it is. State a property that says so to spend the whole"
        " budget on it."
    ),
    "arbitrary-first-value": (
        "The value of this `pre` at the first step is arbitrary, and a property depends on it: of"
        " two executions with the same inputs, and otherwise the same values before the first step,"
        " the property fails in one and holds in the other. A shortest failing one is shown."
        " Proved properties hold for all such values."
    ),
    "solver-crash": (
        "A worker process died twice, usually for lack of memory. Everything that it had not"
        " decided is reported as unknown."
    ),
    "internal-error": "A defect of mutproof; please report it with the output of `--debug`.",
}


@dataclass(frozen=True, slots=True)
class Topic:
    """Hold the explanation of one name; `kind` says what sort of name it is."""

    name: str
    kind: str
    text: str


def topics() -> tuple[Topic, ...]:
    """Return everything that can be explained; a name may stand for several things."""
    from mutproof.analyses.advising.meta_properties import META_PROPERTIES
    from mutproof.analyses.advising.meta_property import STUDY
    from mutproof.analyses.mutation.mutators import MUTATORS
    from mutproof.analyses.strategies import STRATEGIES
    from mutproof.languages import LANGUAGES
    from mutproof.solving.engines import ENGINES

    found = [Topic(name, "word", text) for name, text in GLOSSARY.items()]
    for mutator in MUTATORS:
        text = (
            f"{mutator.summary}. Group: {mutator.group}. Levels: {_levels(mutator)}."
            f" Source: {mutator.source}."
        )
        found.append(Topic(mutator.name, "mutation operator", text))
    for meta in META_PROPERTIES:
        text = (
            f"{meta.summary}, else `mutproof advise` says `{meta.code}`. It is a matter of"
            f" {meta.attribute.value}. Source: {STUDY}."
        )
        text = text[0].upper() + text[1:]
        found.append(Topic(meta.name, "meta-property", text))
        found.append(Topic(meta.code, "advice", f"{meta.name}: {text}"))
    for strategy in STRATEGIES:
        text = f"{strategy.summary}. Source: {strategy.source}."
        found.append(Topic(strategy.name, "strategy", text))
    found += [
        Topic(one.name, "engine", f"{one.summary[0].upper()}{one.summary[1:]}.") for one in ENGINES
    ]
    found.extend(Topic(code, "diagnostic", text) for code, text in CODES.items())
    for language in LANGUAGES:
        found.extend(
            Topic(code, f"diagnostic of {language.name}", text)
            for code, text in language.codes.items()
        )
    return tuple(found)


def _levels(mutator: Mutator) -> str:
    """Return the levels that include a mutation operator, for each language that has it."""
    from mutproof.analyses.mutation.mutator import Level
    from mutproof.languages import LANGUAGES

    shown = []
    for semantics, included in mutator.levels.items():
        levels = ", ".join(level.value for level in Level if level in included)
        titles = [one.traits.title for one in LANGUAGES if one.traits.semantics is semantics]
        shown.append(f"{levels} ({', '.join(titles)})")
    return "; ".join(shown)


def explained(topic: Topic) -> str:
    """Return a topic as a paragraph with a heading."""
    return f"{topic.name} ({topic.kind})\n{wrapped(topic.text)}"


def wrapped(text: str) -> str:
    """Return a text in lines that fit a terminal."""
    return textwrap.fill(text, 88, break_on_hyphens=False)
