"""Pages that say what the registries say: commands, operators, rules, words, codes, formats."""

from argparse import SUPPRESS
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import fill

from mutproof.analyses.advising.meta_properties import META_PROPERTIES
from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.mutator import Level, Mutator
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.base.text import SourceText
from mutproof.cli.commands import COMMANDS
from mutproof.cli.exit_codes import MEANINGS
from mutproof.cli.parser import CommandParser
from mutproof.cli.topics import topics
from mutproof.languages import LANGUAGES
from mutproof.model.editing import TextEdit
from mutproof.model.language import Elaborated, Language
from mutproof.reporters import REPORTERS

ROOT = Path(__file__).resolve().parents[1]
MODELS = (*sorted((ROOT / "docs" / "models").iterdir()), *sorted((ROOT / "examples").glob("*.*")))
"""Models whose mutants are the examples of operators; the first that has one counts."""

SOURCES = tuple(dict.fromkeys(one.source for one in MUTATORS))
OPERATOR_TESTS = "tests/tidy/test_operators.py"
OPERATOR_TEST = "test_the_example_is_what_the_operator_makes"


def write(folder: str) -> None:
    """Write all pages into the folder `reference` of the documentation; equal ones stay."""
    place = Path(folder) / "reference"
    place.mkdir(exist_ok=True)
    for name, text in pages().items():
        path = place / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return the pages by their names."""
    return {
        "commands.md": _commands(),
        "operators.md": operators(),
        "rules.md": _rules(),
        "words.md": _topics("Words", lambda kind: not kind.startswith("diagnostic")),
        "codes.md": _topics("Codes of diagnostics", lambda kind: kind.startswith("diagnostic")),
        "exit-codes.md": _exit_codes(),
        "formats.md": _formats(),
    }


@dataclass(frozen=True)
class Example:
    """Hold a mutant that an operator makes of a model, and the edit of the text that makes it."""

    model: str
    elaborated: Elaborated
    language: Language
    mutant: Mutant
    edit: TextEdit

    @property
    def said(self) -> str:
        """Return what the edit replaces, and by what."""
        whole = self.elaborated.parsed.source.content
        before = whole[self.edit.span.start : self.edit.span.end]
        return f"{_code(before)} → {_code(self.edit.text) if self.edit.text else 'nothing'}"


@cache
def examples() -> dict[str, Example]:
    """Return for each operator the first mutant that it makes of the models."""
    found: dict[str, Example] = {}
    for path in MODELS:
        for language in LANGUAGES:
            if path.suffix not in language.suffixes:
                continue
            source = SourceText(path.name, path.read_text(encoding="utf-8"))
            elaborated = language.elaborate(language.parse(source))
            program = elaborated.program
            assert program is not None, path
            chosen = chosen_mutators("all", (), program.traits.semantics)
            for operator in chosen:  # each alone, so that equal changes of others hide none
                if operator.name in found:
                    continue
                for one in mutants(program, elaborated.provenance, (operator,), source.content):
                    edit = _edit(elaborated, language, one)
                    found[operator.name] = Example(path.name, elaborated, language, one, edit)
                    break
    return found


def _edit(elaborated: Elaborated, language: Language, mutant: Mutant) -> TextEdit:
    """Return the edit that makes a mutant of a text."""
    provenance = elaborated.provenance
    if mutant.replacement is None:
        return TextEdit(provenance.whole(mutant.element), "")
    places = provenance.elements[mutant.element].terms
    text = language.replacement(places, mutant.source, mutant.path, mutant.replacement)
    return TextEdit(provenance.text(mutant.element, mutant.path), text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(_cell(one) for one in row)} |\n" for row in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _code(text: str) -> str:
    return f"`{' '.join(text.split())}`"


def _plain(text: str) -> str:
    """Return a text in which Markdown sees no markup but code."""
    parts = text.split("`")
    return "`".join(
        part if number % 2 else "".join(f"\\{c}" if c in "\\*_[]<>#$" else c for c in part)
        for number, part in enumerate(parts)
    )


def _commands() -> str:
    text = "# Commands and options\n\nWhat `mutproof COMMAND --help` says.\n\n"
    for command in COMMANDS:
        parser = CommandParser(prog=f"mutproof {command.name}", add_help=False)
        command.configure(parser)
        text += f"## mutproof {command.name}\n\n{_plain(command.summary.capitalize())}.\n\n"
        rows = []
        for action in parser._actions:  # noqa: SLF001
            if action.help == SUPPRESS:
                continue
            shown = str(action.metavar or ("" if action.nargs == 0 else action.dest))
            if action.choices is not None and action.metavar is None:
                shown = ",".join(map(str, action.choices))
            names = ", ".join(action.option_strings)
            said = (action.help or "").replace("%%", "%")
            rows.append([f"`{f'{names} {shown}'.strip()}`", _plain(said)])
        if rows:
            text += _table(["argument", "what it does"], rows)
        for line, purpose in command.examples:
            text += f"* `{line}`: {_plain(purpose)}\n"
        text += "\n"
    return text


def operators() -> str:
    titles = [language.traits.title for language in LANGUAGES]
    text = (
        "# Mutation operators\n\nEach study has its operators, under its own names;"
        " `mutproof explain NAME` says the same. A level is a choice of operators (`--level`); a"
        " dash: not for this language. Where two operators make the same change, the mutant has the"
        " name of the first. The examples are edits of models in `docs/models`; the test"
        f" in the same row, in `{OPERATOR_TESTS}`, makes them and reads them back.\n\n"
    )
    rows = []
    for one in sorted(MUTATORS, key=lambda one: SOURCES.index(one.source)):
        levels = [_levels(one, title) for title in titles]
        known = examples()[one.name]
        said = f"{known.said} (`{known.model}`)"
        test = f"`{OPERATOR_TEST}[{one.name}]`"
        rows.append([_plain(one.source), f"`{one.name}`", _plain(one.summary), said, *levels, test])
    head = ["study", "operator", "what it does", "example", *titles, "test"]
    return text + _table(head, rows)


def _levels(mutator: Mutator, title: str) -> str:
    (language,) = [one for one in LANGUAGES if one.traits.title == title]
    included = mutator.levels.get(language.traits.semantics, frozenset())
    return ", ".join(level.value for level in Level if level in included) or "–"


def _rules() -> str:
    rows = [
        [one.name, f"`{one.code}`", _plain(one.summary), one.attribute.value]
        for one in META_PROPERTIES
    ]
    text = "# Rules of the advisor\n\nWhat `mutproof advise` asks of models.\n\n"
    return text + _table(["rule", "code", "what a model should answer with yes", "matter of"], rows)


def _topics(title: str, wanted) -> str:
    text = f"# {title}\n\nWhat `mutproof explain` says.\n\n"
    found = [topic for topic in topics() if wanted(topic.kind)]
    for kind in dict.fromkeys(topic.kind for topic in found):
        text += f"## {kind[0].upper()}{kind[1:]}\n\n"
        rows = [[f"`{one.name}`", _plain(one.text)] for one in found if one.kind == kind]
        text += _table(["name", "meaning"], rows)
    return text


def explained() -> str:
    """Return the page to which codes of diagnostics lead in editors: a heading for each name."""
    text = "# What codes, operators and words of mutproof mean\n"
    known = topics()
    for name in dict.fromkeys(topic.name for topic in known):
        text += f"\n## {name}\n"
        for topic in known:
            if topic.name == name:
                kind = topic.kind[0].upper() + topic.kind[1:]
                text += f"\n{fill(f'*{kind}.* {topic.text}', 100, break_on_hyphens=False)}\n"
    return text


def _exit_codes() -> str:
    rows = [[str(int(code)), _plain(text)] for code, text in MEANINGS.items()]
    return "# Exit codes\n\n" + _table(["code", "meaning"], rows)


def _formats() -> str:
    rows = [
        [f"`{name}`", _plain(REPORTERS.purposes((name,)).partition(": ")[2])]
        for name in REPORTERS.names()
    ]
    return "# Formats of reports\n\nFor `--format`.\n\n" + _table(["format", "what for"], rows)
