"""Suites as a C program that calls a reset and a step function of the system under test.

Integers are `long long`; one that does not fit has no test in C. Symbols are enumerated types,
reals are `double` and compared with a tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from mutproof.model.sorts import Value
from mutproof.reporters.suites.projection import NotProjectableError, Projection, identifiers
from mutproof.workspace.suites.recorded import RecordedSuite, SuiteVariable

_MOST: Final = 2**63 - 1
_WORDS: Final = """
alignas alignof asm auto bool break case char const constexpr continue default do double else enum
extern false float for goto if inline int long main nullptr register restrict return short signed
sizeof static static_assert struct switch thread_local true typedef typeof typeof_unqual union
unsigned void volatile while
"""
"""The keywords of C99 to C23, and those that compilers add unless they are told not to."""
_MACROS: Final = [
    "EOF",
    "NULL",
    "BUFSIZ",
    "FILENAME_MAX",
    "FOPEN_MAX",
    "L_ctermid",
    "L_tmpnam",
    "P_tmpdir",
    "SEEK_CUR",
    "SEEK_END",
    "SEEK_SET",
    "TMP_MAX",
    "OFF",
    "TOLERANCE",
    "stdin",
    "stdout",
    "stderr",
    "linux",
    "unix",
    "i386",
]
_FUNCTIONS: Final = ("reset", "step")
_FORMATS: Final = {"bool": "%d", "real": "%.17g", "enum": "%d"}


def write(suite: RecordedSuite, stem: str) -> Mapping[str, str]:
    """Return a header with what is to be written, and the program that tests it.

    Raises:
        NotProjectableError: C has no type for a variable, or no number for a value.
    """
    return _Writer(suite, stem).files()


class _Writer:
    def __init__(self, suite: RecordedSuite, stem: str) -> None:
        self._suite = suite
        self._prefix = identifiers([stem], _WORDS.split())[stem]
        variables = (*suite.inputs, *suite.outputs)
        names = [one.name for one in variables]
        self._names = identifiers(names, (*_WORDS.split(), *_MACROS))
        symbols = dict.fromkeys(v for one in variables for v in one.values)
        self._symbols = {
            symbol: f"{self._prefix}_{name}"
            for symbol, name in identifiers(map(str, symbols), _FUNCTIONS).items()
        }

    def files(self) -> Mapping[str, str]:
        header = f"{self._prefix}_tests.h"
        return {
            header: "".join(f"{line}\n" for line in self._header()),
            f"{self._prefix}_tests.c": "".join(f"{line}\n" for line in self._program(header)),
        }

    def _header(self) -> Iterator[str]:
        prefix = self._prefix
        guard = f"{prefix.upper()}_TESTS_H"
        yield f"/* What tests of {_plain(self._suite.file)} need: write both functions. */"
        yield f"#ifndef {guard}"
        yield f"#define {guard}"
        yield "#include <stdbool.h>"
        yield ""
        if self._symbols:
            yield f"enum {prefix}_symbol {{ {', '.join(self._symbols.values())} }};"
        for kind, variables in (("inputs", self._suite.inputs), ("outputs", self._suite.outputs)):
            yield f"struct {prefix}_{kind} {{"
            for one in variables:
                yield f"  {self._type(one)} {self._names[one.name]};"
            if not variables:
                yield "  char nothing;"
            yield "};"
        yield ""
        yield "/* Begin anew. */"
        yield f"void {prefix}_reset(void);"
        yield "/* Take inputs and set all outputs. */"
        step = f"const struct {prefix}_inputs *in, struct {prefix}_outputs *out"
        yield f"void {prefix}_step({step});"
        yield "#endif"

    def _program(self, header: str) -> Iterator[str]:
        prefix, suite = self._prefix, self._suite
        yield f"/* Tests of {_plain(suite.main)}, made by mutproof from {_plain(suite.file)}. */"
        yield f'#include "{header}"'
        yield "#include <stdio.h>"
        yield ""
        yield "#ifndef TOLERANCE"
        yield "#define TOLERANCE 1e-9"
        yield "#endif"
        yield "#define OFF(a, b) ((a) - (b) > TOLERANCE || (b) - (a) > TOLERANCE || (a) != (a))"
        yield ""
        yield "/* `cared` has a bit for each output that is expected. */"
        yield (
            f"struct step {{ struct {prefix}_inputs in; struct {prefix}_outputs out;"
            f" unsigned char cared[{max(1, len(suite.outputs))}]; }};"
        )
        for number, test in enumerate(suite.tests):
            yield f"static const struct step steps_{number}[] = {{  /* {_plain(test.name)} */"
            for step in test.steps:
                given = self._row(suite.inputs, step.inputs)
                wanted = self._row(suite.outputs, step.outputs)
                cared = ", ".join(str(int(one.name in step.outputs)) for one in suite.outputs)
                yield f"  {{ {{ {given} }}, {{ {wanted} }}, {{ {cared or '0'} }} }},"
            yield "};"
        yield "static const struct { const char *name; const struct step *steps; int count; }"
        yield "tests[] = {"
        for number, test in enumerate(suite.tests):
            yield f'  {{ "{_plain(test.name)}", steps_{number}, {len(test.steps)} }},'
        yield "  { 0, 0, 0 },"
        yield "};"
        yield ""
        yield "static int differs(const char *test, int number, const struct step *step,"
        yield f"                   const struct {prefix}_outputs *out) {{"
        for position, one in enumerate(suite.outputs):
            name = self._names[one.name]
            here, there = f"out->{name}", f"step->out.{name}"
            wrong = f"OFF({here}, {there})" if one.type == "real" else f"{here} != {there}"
            form = _FORMATS.get(one.type, "%lld")
            said = f"{_plain(one.name)} is {form}, expected {form}"
            yield f"  if (step->cared[{position}] && ({wrong})) {{"
            yield f'    printf("FAIL %s at step %d: {said}\\n", test, number, {here}, {there});'
            yield "    return 1;"
            yield "  }"
        yield "  (void)test; (void)number; (void)step; (void)out;"
        yield "  return 0;"
        yield "}"
        yield from _MAIN.replace("PREFIX", prefix).splitlines()

    def _type(self, variable: SuiteVariable) -> str:
        match variable.type:
            case "bool":
                return "bool"
            case "int" | "word":
                return "long long"
            case "real":
                return "double"
            case "enum":
                return f"enum {self._prefix}_symbol"
            case _:
                raise NotProjectableError(f"C has no type for {variable.name}")

    def _row(self, variables: Sequence[SuiteVariable], row: Mapping[str, Value]) -> str:
        if not variables:
            return "0"
        return ", ".join(self._literal(one, row.get(one.name)) for one in variables)

    def _literal(self, variable: SuiteVariable, value: Value | None) -> str:
        match value:
            case None:
                return "0" if variable.type != "enum" else self._symbols[str(variable.values[0])]
            case _ if variable.type == "enum":
                return self._symbols[str(value)]
            case bool():
                return "true" if value else "false"
            case int() if abs(value) <= _MOST:
                return f"{value}LL"
            case int():
                raise NotProjectableError(f"{variable.name} = {value} does not fit 64 bits")
            case Fraction():
                return _double(variable.name, value)
            case _:
                raise NotProjectableError(f"C has no value for {variable.name} = {value}")


def _double(name: str, value: Fraction) -> str:
    try:
        return repr(float(value))
    except OverflowError:
        raise NotProjectableError(f"{name} does not fit a double") from None


def _plain(text: str) -> str:
    """Return a text that is safe in comments, strings and formats of C."""
    kept = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%' else "_" for c in text)
    return kept.replace("*/", "__").replace("??", "__")


_MAIN: Final = """
int main(void) {
  int failed = 0;
  for (int t = 0; tests[t].name; t++) {
    int wrong = 0;
    PREFIX_reset();
    for (int s = 0; s < tests[t].count && !wrong; s++) {
      struct PREFIX_outputs out;
      PREFIX_step(&tests[t].steps[s].in, &out);
      wrong = differs(tests[t].name, s, &tests[t].steps[s], &out);
    }
    if (!wrong) printf("PASS %s\\n", tests[t].name);
    failed += wrong;
  }
  return failed ? 1 : 0;
}
"""

PROJECTION = Projection("c", write)
