import assert from "node:assert/strict";
import { test } from "node:test";
import { cases, covered, leaves } from "../views/outcomes";
import { type Overview, parseKeptTests, parseMutants, parseOverview } from "../views/overview";

function range(line: number, last = line): object {
  return { start: { line, character: 0 }, end: { line: last, character: 9 } };
}

function overview(verdict: string, counts: object, stale = false): Overview {
  const element = { key: "main equation d", label: "d", range: range(2, 3), head: range(2), cells: [] };
  const parsed = parseOverview({
    phase: "done",
    properties: [{ name: "ok", component: "main", range: range(5), verdict, said: "words", stale }],
    components: [
      { name: "main", range: range(0), counts, elements: [{ ...element, counts, stale }] },
    ],
  });
  assert.ok(parsed);
  return parsed;
}

function kinds(found: Overview): (string | undefined)[] {
  return leaves(cases(found)).map(({ outcome }) => outcome?.kind);
}

test("a property is a test that passes when it is proved", () => {
  const killed = { killed: 1, total: 1 };
  const outcomes = { proved: "passed", falsified: "failed", vacuous: "failed", unknown: "errored", "": "open" };
  for (const [verdict, kind] of Object.entries(outcomes)) {
    assert.equal(kinds(overview(verdict, killed))[0], kind, verdict);
  }
});

test("an element is a test that passes when properties notice all its mutants", () => {
  const of = (counts: object): string | undefined => kinds(overview("proved", counts))[1];
  assert.equal(of({ killed: 2, total: 2, equivalent: 1 }), "passed");
  assert.equal(of({ killed: 1, survived: 1, total: 2 }), "failed");
  assert.equal(of({ killed: 1, unknown: 1, total: 2 }), "errored");
  assert.equal(of({ killed: 1, pending: 1, total: 2 }), "open");
  assert.equal(of({ equivalent: 3, total: 0 }), "open");
});

test("nothing passes or fails by what was found of an older text", () => {
  assert.deepEqual(kinds(overview("proved", { killed: 1, total: 1 }, true)), ["open", "open"]);
});

test("groups are properties and nodes", () => {
  const found = cases(overview("proved", { killed: 1, survived: 1, gaps: 1, total: 2 }));
  assert.deepEqual(found.map(({ label }) => label), ["Properties", "main"]);
  assert.equal(found[1]?.description, "1/2 killed · 1 gap");
  assert.equal(found[0]?.outcome, undefined);
});

test("lines are covered by mutants that are killed there", () => {
  const mutant = (name: string, status: string, line: number): object => ({
    mutant: name,
    label: name,
    status,
    range: { start: { line, character: 1 }, end: { line, character: 2 } },
  });
  const sent = [mutant("a", "killed", 2), mutant("b", "gap", 3), mutant("c", "equivalent", 2)];
  const mutants = parseMutants([...sent, mutant("d", "killed", 7)]);
  const [line] = covered(overview("proved", { killed: 1, survived: 1, total: 2 }), mutants);
  assert.equal(line?.kills, 1);
  assert.deepEqual(line?.mutants.map(({ label, killed }) => [label, killed]), [["a", true], ["b", false]]);
});

test("the tests beside a file pass, fail with the outputs that differ, or end with neither", () => {
  const uri = "file:///work/model.suite.json";
  const found = parseKeptTests({
    uri,
    tests: [
      { name: "t1", line: 4, said: "2 steps", outcome: "passed", message: "", expected: "", actual: "" },
      { name: "t2", line: 7, outcome: "failed", message: "at step 0", expected: "out = 1", actual: "out = 2" },
      { name: "t3", line: 9, outcome: "inconclusive", message: "no input" },
    ],
  });
  const group = cases(overview("proved", { killed: 1, total: 1 }), found).at(-1);
  assert.deepEqual([group?.label, group?.description, group?.uri], ["Tests", "1/3 pass", uri]);
  assert.deepEqual(group?.cases.map(({ range }) => range.start.line), [4, 7, 9]);
  assert.deepEqual(leaves(group?.cases ?? []).map(({ outcome }) => outcome), [
    { kind: "passed", message: "" },
    { kind: "failed", message: "at step 0", outputs: { expected: "out = 1", actual: "out = 2" } },
    { kind: "errored", message: "no input" },
  ]);
  assert.equal(parseKeptTests(null), undefined);
  assert.equal(cases(overview("proved", {}), { uri, tests: [] }).at(-1)?.label, "main");
});
