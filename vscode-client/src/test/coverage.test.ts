import assert from "node:assert/strict";
import { test } from "node:test";
import { coverageHtml, places, score, withRun } from "../views/coverage";
import { type Overview, parseOverview } from "../views/overview";

function range(line: number): object {
  return { start: { line, character: 0 }, end: { line, character: 9 } };
}

function overview(killed: number, pending = 0): Overview {
  const counts = { killed, survived: 4 - killed, total: 4, pending };
  const element = { key: "d", label: "d<1>", range: range(2), head: range(2), counts };
  const property = { component: "main", verdict: "proved", said: "proved", range: range(5) };
  const parsed = parseOverview({
    phase: "done",
    properties: [
      { ...property, name: "ok" },
      { ...property, name: "low" },
    ],
    components: [
      {
        name: "main",
        range: range(0),
        counts,
        elements: [{ ...element, cells: [{ property: 1, mark: "MUST", kills: killed }] }],
      },
    ],
  });
  assert.ok(parsed);
  return parsed;
}

test("a cell says what an element is to a property and how many mutants that kills", () => {
  const { text } = coverageHtml("Coverage", overview(3), [], undefined);
  assert.match(text, /<td>–<\/td><td class="must">MUST · 3 kills<\/td>/);
  assert.match(text, /score 75 %/);
  assert.match(text, /d&#60;1&#62;/);
  assert.doesNotMatch(text, /aria-current|<svg|\sstyle=/);
});

test("links lead to properties, nodes and elements", () => {
  const { text } = coverageHtml("Coverage", overview(3), [], undefined);
  assert.deepEqual(text.match(/data-index="\d"/g)?.length, places(overview(3)).length);
  assert.deepEqual(places(overview(3)).map(({ start }) => start.line), [5, 5, 0, 2]);
});

test("the element at the cursor is marked", () => {
  assert.match(coverageHtml("Coverage", overview(3), [], 2).text, /class="chosen" aria-current="true"/);
});

test("a score is there once all mutants are decided", () => {
  const [node] = overview(3).components;
  const [open] = overview(3, 1).components;
  assert.ok(node && open);
  assert.equal(score(node.counts), 75);
  assert.equal(score(open.counts), undefined);
});

test("the history has the runs that changed something", () => {
  let history = withRun([], overview(1), 1);
  history = withRun(history, overview(1), 2);
  history = withRun(history, overview(2, 1), 3);
  history = withRun(history, overview(3), 4);
  assert.deepEqual(history, [
    { time: 1, scores: { main: 25 } },
    { time: 4, scores: { main: 75 } },
  ]);
  assert.match(coverageHtml("Coverage", overview(3), history, undefined).text, /<svg role="img" aria-label="score of main over 2 runs"/);
});
