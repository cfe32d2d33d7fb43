"""The texts of many mutants of one long expression share what they have in common."""

from __future__ import annotations

from typing import Any

import pytest

from mutproof.base.text import SourceText
from mutproof.languages.lustre import LANGUAGE as LUSTRE
from mutproof.languages.lustre import printer as lustre_printer
from mutproof.languages.nusmv import LANGUAGE as NUSMV
from mutproof.languages.nusmv import printer as nusmv_printer
from mutproof.model.language import Language
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options


def case(branches: int) -> str:
    """Return a NuSMV model with one case."""
    listed = "".join(f"y = {n} & x < {n} : {n + 1};\n" for n in range(branches))
    return (
        f"MODULE main\nVAR x: 0..{branches}; y: 0..{branches};\n"
        f"ASSIGN next(x) := case\n{listed}TRUE: x; esac;\nINVARSPEC x <= {branches}\n"
    )


def chain(branches: int) -> str:
    """Return a Lustre model with one chain of `if`."""
    listed = "".join(f"if y = {n} then {n + 1} else\n" for n in range(branches))
    return (
        f"node main(y: int) returns (x: int; ok: bool);\nlet x = {listed}0;\n"
        "ok = x >= 0;\n--%PROPERTY ok;\ntel;\n"
    )


def texts(language: Language, text: str, *, fresh: bool = False) -> list[str]:
    """Return the texts of all mutants; `fresh`: nothing that was printed before is used."""
    found = language.elaborate(language.parse(SourceText("model", text)))
    printed = []
    for mutant in enumerate_mutants(found, Options(level="all")):
        if fresh:
            lustre_printer.forget()
            nusmv_printer.forget()
        if mutant.replacement is not None:
            written = language.print_replacement(mutant.source, mutant.path, mutant.replacement)
            printed.append(written)
    return printed


@pytest.mark.parametrize(("language", "text"), [(NUSMV, case(7)), (LUSTRE, chain(9))])
def test_texts_that_share_parts_are_those_that_share_none(language: Language, text: str) -> None:
    assert texts(language, text, fresh=True) == texts(language, text)


@pytest.mark.parametrize(
    ("language", "text", "module", "name"),
    [
        (NUSMV, case(40), nusmv_printer, "_layout"),
        (LUSTRE, chain(100), lustre_printer, "_around"),
    ],
)
def test_a_mutant_of_a_long_expression_is_printed_in_a_few_steps(
    monkeypatch: pytest.MonkeyPatch, language: Language, text: str, module: Any, name: str
) -> None:
    steps = 0
    original = getattr(module, name)

    def counted(*arguments: Any) -> Any:
        nonlocal steps
        steps += 1
        return original(*arguments)

    monkeypatch.setattr(module, name, counted)
    listed = texts(language, text)
    assert len(listed) > 1_000
    assert steps < 12 * len(listed), steps / len(listed)
