import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import * as oniguruma from "vscode-oniguruma";
import { INITIAL, type IGrammar, parseRawGrammar, Registry } from "vscode-textmate";

const GRAMMARS = path.join(__dirname, "..", "..", "..", "grammars");
const FILES: Readonly<Record<string, string>> = {
  "source.lustre": "lustre.tmLanguage.json",
  "source.nusmv": "nusmv.tmLanguage.json",
};

const registry = new Registry({
  onigLib: loadOniguruma(),
  loadGrammar: async (scope) => {
    const file = FILES[scope];
    if (file === undefined) {
      return null;
    }
    const source = path.join(GRAMMARS, file);
    return parseRawGrammar(readFileSync(source, "utf8"), source);
  },
});

async function loadOniguruma(): Promise<{
  createOnigScanner: (sources: string[]) => oniguruma.OnigScanner;
  createOnigString: (text: string) => oniguruma.OnigString;
}> {
  const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  return {
    createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
    createOnigString: (text) => new oniguruma.OnigString(text),
  };
}

/** List tokens that are not blank, each with its innermost scope, as `token scope`. */
async function tokens(scope: string, source: string): Promise<string[]> {
  const grammar = (await registry.loadGrammar(scope)) as IGrammar;
  const suffix = scope.replace("source", "");
  const listed: string[] = [];
  let state = INITIAL;
  for (const line of source.split("\n")) {
    const { tokens: found, ruleStack } = grammar.tokenizeLine(line, state);
    for (const { startIndex, endIndex, scopes } of found) {
      const text = line.slice(startIndex, endIndex).trim();
      if (text !== "") {
        listed.push(`${text} ${scopes.at(-1)?.replace(suffix, "")}`);
      }
    }
    state = ruleStack;
  }
  return listed;
}

/** Check the innermost scope of the listed tokens, in the order in which they occur. */
async function checkScopes(scope: string, source: string, expected: string[]): Promise<void> {
  const actual = await tokens(scope, source);
  const wanted = new Set(expected.map((entry) => entry.split(" ")[0]));
  const relevant = actual.filter((entry) => wanted.has(entry.split(" ")[0]));
  assert.deepEqual(relevant, expected);
}

const lustre = (source: string, expected: string[]): Promise<void> =>
  checkScopes("source.lustre", source, expected);
const nusmv = (source: string, expected: string[]): Promise<void> =>
  checkScopes("source.nusmv", source, expected);

test("Lustre: node header, types and block words", () =>
  lustre("node demo2 (a1 : int) returns (b : bool);\nvar d : subrange [0, 5] of int;\nlet tel;", [
    "node storage.type.function",
    "demo2 entity.name.function",
    "a1 variable.other",
    "int support.type",
    "returns keyword.control.block",
    "b variable.other",
    "bool support.type",
    "var storage.type",
    "subrange support.type",
    "0 constant.numeric.integer",
    "of keyword.other.of",
    "int support.type",
    "let keyword.control.block",
    "tel keyword.control.block",
  ]));

test("Lustre: operators of expressions", () =>
  lustre("b = if d or (a2 < 0) then 1.5 else a1 -> pre (b => not c) <> x;", [
    "= keyword.operator.equal",
    "if keyword.control.conditional",
    "or keyword.operator.logical",
    "< keyword.operator.comparison",
    "0 constant.numeric.integer",
    "then keyword.control.conditional",
    "1.5 constant.numeric.decimal",
    "else keyword.control.conditional",
    "-> keyword.operator.temporal",
    "pre keyword.operator.temporal",
    "=> keyword.operator.logical",
    "not keyword.operator.logical",
    "<> keyword.operator.comparison",
  ]));

test("Lustre: annotations are no comments", async () => {
  for (const word of ["PROPERTY", "MAIN", "IVC", "REALIZABLE"]) {
    await lustre(`  --%${word} x, y;\nz`, [
      `${word} keyword.other.annotation`,
      "x variable.other",
      "y variable.other",
      "z variable.other",
    ]);
  }
});

test("Lustre: Kind 2 writes annotations in block comments too", () =>
  lustre("(*%PROPERTY x = y; *) (*@contract assume x; *) z", [
    "PROPERTY keyword.other.annotation",
    "x variable.other",
    "contract keyword.other.annotation",
    "assume keyword.other.contract",
    "x variable.other",
    "z variable.other",
  ]));

test("Lustre: comments in all forms", async () => {
  assert.deepEqual(await tokens("source.lustre", "x -- if\n(* if\nif *) y /* if */ z // if"), [
    "x variable.other",
    "-- punctuation.definition.comment",
    "if comment.line.double-dash",
    "(* punctuation.definition.comment.begin",
    "if comment.block",
    "if comment.block",
    "*) punctuation.definition.comment.end",
    "y variable.other",
    "/* punctuation.definition.comment.begin",
    "if comment.block",
    "*/ punctuation.definition.comment.end",
    "z variable.other",
    "// punctuation.definition.comment",
    "if comment.line.double-slash",
  ]);
});

test("Lustre: calls, casts and clocks", () =>
  lustre("y = condact(c, counter(x), 0) + real(n) div 2;", [
    "condact keyword.control.clock",
    "counter entity.name.function.call",
    "real support.function.cast",
    "div keyword.operator.arithmetic",
  ]));

test("Lustre: Kind 2 contracts and modes", () =>
  lustre('con weakly assume "a b" x; mode idle (require ::m::p; ensure q;); noc check "n" r;', [
    "con keyword.control.block",
    "weakly storage.modifier",
    "assume keyword.other.contract",
    "mode keyword.other.contract",
    "idle entity.name.section.mode",
    "require keyword.other.contract",
    "ensure keyword.other.contract",
    "noc keyword.control.block",
    "check keyword.other.contract",
    '"n" string.quoted.double',
  ]));

test("Lustre: a name that contains a keyword is a name", () =>
  lustre("ifx = node_1 and preset;", [
    "ifx variable.other",
    "node_1 variable.other",
    "preset variable.other",
  ]));

test("NuSMV: modules, sections and types", () =>
  nusmv("MODULE main(p)\nVAR x : 0..7; w : unsigned word[4];\nASSIGN init(x) := 0; next(x) := {1, 2};", [
    "MODULE storage.type.module",
    "main entity.name.type.module",
    "VAR storage.type.section",
    "x variable.other",
    ".. punctuation.separator.range",
    "unsigned support.type",
    "word support.type",
    "ASSIGN keyword.control.section",
    "init support.function.transition",
    "x variable.other",
    ":= keyword.operator.assignment",
    "next support.function.transition",
    "x variable.other",
    ":= keyword.operator.assignment",
  ]));

test("NuSMV: a dash belongs to the identifier", () =>
  nusmv("x-1 = next-state & a$b#c - case-1 - b--note", [
    "x-1 variable.other",
    "next-state variable.other",
    "a$b#c variable.other",
    "- keyword.operator.arithmetic",
    "case-1 variable.other",
    "- keyword.operator.arithmetic",
    "b--note variable.other",
  ]));

test("NuSMV: comments in both forms", async () => {
  assert.deepEqual(await tokens("source.nusmv", "x -- VAR\n/-- VAR\nVAR --/ y"), [
    "x variable.other",
    "-- punctuation.definition.comment",
    "VAR comment.line.double-dash",
    "/-- punctuation.definition.comment.begin",
    "VAR comment.block",
    "VAR comment.block",
    "--/ punctuation.definition.comment.end",
    "y variable.other",
  ]);
});

test("NuSMV: word literals and other numbers", () =>
  nusmv("{0ud4_12, 0sb8_1010_1010, 0h_FF, -3, f'1/2, 1.5}", [
    "0ud4_12 constant.numeric.word",
    "0sb8_1010_1010 constant.numeric.word",
    "0h_FF constant.numeric.word",
    "3 constant.numeric.integer",
    "f'1/2 constant.numeric.fraction",
    "1.5 constant.numeric.real",
  ]));

test("NuSMV: specifications and temporal operators", () =>
  nusmv("INVARSPEC NAME safe := x != 3;\nCTLSPEC AG (p -> A [p U EF q])\nLTLSPEC G F (p <-> X q)", [
    "INVARSPEC keyword.other.specification",
    "NAME keyword.other.specification",
    "safe entity.name.tag.property",
    "!= keyword.operator.comparison",
    "CTLSPEC keyword.other.specification",
    "AG keyword.operator.temporal",
    "-> keyword.operator.logical",
    "A keyword.operator.temporal",
    "U keyword.operator.temporal",
    "EF keyword.operator.temporal",
    "LTLSPEC keyword.other.specification",
    "G keyword.operator.temporal",
    "F keyword.operator.temporal",
    "<-> keyword.operator.logical",
    "X keyword.operator.temporal",
  ]));

test("NuSMV: case, constants and functions", () =>
  nusmv("case TRUE : resize(w, 2) xor !b; esac; signed(w) union {FALSE} in s.t", [
    "case keyword.control.conditional",
    "TRUE constant.language.boolean",
    "resize support.function.builtin",
    "xor keyword.operator.word",
    "! keyword.operator.logical",
    "esac keyword.control.conditional",
    "signed support.function.builtin",
    "union keyword.operator.word",
    "FALSE constant.language.boolean",
    "in keyword.operator.word",
  ]));
