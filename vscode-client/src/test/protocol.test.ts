import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFindings, parseShownText, parseStatistics, parseStatus } from "../protocol";

const RANGE = { start: { line: 5, character: 2 }, end: { line: 5, character: 3 } };

test("a status keeps its progress", () => {
  const status = { uri: "file:///m.lus", state: "mutating", done: 3, total: 22 };
  assert.deepEqual(parseStatus(status), status);
});

test("what is no status is dropped", () => {
  for (const value of [null, [], "done", { state: "done" }, { uri: "u", state: "sleeping" }]) {
    assert.equal(parseStatus(value), undefined);
  }
});

test("absent counts of statistics are 0", () => {
  const statistics = parseStatistics({ uri: "u", killed: 5, survived: 17, unknown: null });
  assert.equal(statistics?.killed, 5);
  assert.equal(statistics.survived, 17);
  assert.equal(statistics.unknown, 0);
  assert.equal(statistics.version, null);
  assert.equal(parseStatistics({ killed: 5 }), undefined);
});

test("findings are locations with or without a label", () => {
  const places = [
    { uri: "file:///m.lus", range: RANGE },
    { uri: "file:///m.lus", range: RANGE, label: "g2ge" },
  ];
  assert.deepEqual(parseFindings(["2 gaps", places]), { title: "2 gaps", findings: places });
});

test("a broken location spoils the findings", () => {
  assert.equal(parseFindings(["t", [{ uri: "u" }]]), undefined);
  assert.equal(parseFindings(["t", [{ uri: "u", range: { start: { line: 1 } } }]]), undefined);
  assert.equal(parseFindings([undefined, []]), undefined);
});

test("a shown text is one text or a diff", () => {
  assert.deepEqual(parseShownText({ title: "trace", text: "" }), {
    kind: "text",
    title: "trace",
    text: "",
  });
  assert.deepEqual(parseShownText({ title: "g2ge", left: "a", right: "b" }), {
    kind: "diff",
    title: "g2ge",
    left: "a",
    right: "b",
  });
  assert.equal(parseShownText({ title: "g2ge", left: "a" }), undefined);
});
