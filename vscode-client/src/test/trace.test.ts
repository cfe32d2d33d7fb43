import assert from "node:assert/strict";
import { test } from "node:test";
import { type Execution, parseExecution } from "../views/execution";
import { html, page } from "../views/html";
import { lineValues, said, traceHtml } from "../views/trace";
import { waveform } from "../views/waveform";

const RANGE = (line: number): object => ({
  start: { line, character: 2 },
  end: { line, character: 3 },
});

const SENT = {
  title: "d: `>` → `>=`",
  about: "first differs at step 1",
  stale: false,
  sides: [
    { title: "model", loop: null },
    { title: "mutant", loop: 0 },
  ],
  length: 2,
  step: 1,
  notes: ["f(1) = <2>"],
  range: RANGE(5),
  variables: [
    {
      name: "d",
      input: false,
      cone: true,
      truth: true,
      range: RANGE(5),
      sides: [
        { values: ["FALSE", "FALSE"], numbers: [0, 0] },
        { values: ["FALSE", "TRUE"], numbers: [0, 1] },
      ],
      differing: [1],
    },
    {
      name: "n",
      input: true,
      cone: true,
      truth: false,
      range: RANGE(1),
      sides: [
        { values: ["-4", "4"], numbers: [-4, 4] },
        { values: ["-4", "4"], numbers: [-4, 4] },
      ],
      differing: [],
    },
    {
      name: "<b>",
      input: false,
      cone: false,
      truth: false,
      range: null,
      sides: [
        { values: ["red", "red"], numbers: [] },
        { values: ["red", "red"], numbers: [] },
      ],
      differing: [],
    },
  ],
};

function execution(changed: object = {}): Execution {
  const parsed = parseExecution({ ...SENT, ...changed });
  assert.ok(parsed);
  return parsed;
}

test("what is no execution is refused", () => {
  for (const value of [null, {}, { ...SENT, title: 5 }, { ...SENT, variables: [{}] }]) {
    assert.equal(parseExecution(value), undefined);
  }
});

test("texts are escaped, also in attributes, and pieces of HTML are not", () => {
  assert.equal(html`<p title="${'"'}">${"<&'"}</p>`.text, '<p title="&#34;">&#60;&#38;&#39;</p>');
  assert.equal(html`<ul>${[html`<li>${1}</li>`]}</ul>`.text, "<ul><li>1</li></ul>");
});

test("a page loads nothing and runs nothing without its nonce", () => {
  const text = page({ title: "a < b", nonce: "abc", style: "p {}", script: "run()" });
  assert.match(text, /default-src &#39;none&#39;; style-src &#39;nonce-abc&#39;; script-src &#39;nonce-abc&#39;"/);
  assert.deepEqual(text.match(/<(script|style)[^>]*>/g), [
    '<style nonce="abc">',
    '<script nonce="abc">',
  ]);
});

test("no content has a handler or a style of its own", () => {
  assert.doesNotMatch(traceHtml(execution()).text, /\son\w+=|\sstyle=|<script/);
});

test("a cell at which model and mutant differ says so in words", () => {
  const { text } = traceHtml(execution());
  assert.match(text, /aria-label="d, step 1: differs, model FALSE, mutant TRUE: FALSE ≠ TRUE"/);
  assert.match(text, /aria-label="d, step 0: FALSE"/);
  assert.equal(text.match(/class="differs"/g)?.length, 1);
});

test("names lead to the source where they have a place, and are texts where not", () => {
  const { text } = traceHtml(execution());
  assert.deepEqual(text.match(/data-index="\d"/g), ['data-index="0"', 'data-index="1"']);
  assert.ok(text.includes("&#60;b&#62;"));
});

test("only the cone is shown first, and a button shows the rest", () => {
  const { text } = traceHtml(execution());
  assert.match(text, /data-narrow/);
  assert.match(text, /All variables \(3\)/);
  const whole = execution({ variables: SENT.variables.slice(0, 2) });
  assert.doesNotMatch(traceHtml(whole).text, /data-narrow|data-act="all"/);
});

test("a step is said with what differs there", () => {
  assert.equal(said(execution(), 0), "Step 0, the last is 1. Nothing differs.");
  assert.equal(said(execution(), 1), "Step 1, the last is 1. Different: d.");
  const alone = execution({ sides: SENT.sides.slice(0, 1) });
  assert.equal(said(alone, 1), "Step 1, the last is 1.");
});

test("the step that the last one returns to is marked", () => {
  assert.match(traceHtml(execution()).text, /data-step="0"[^>]*>0 <span title="the last step returns here">/);
});

test("values of a step stand behind their lines, different ones with both", () => {
  assert.deepEqual(lineValues(execution(), 1), [
    { line: 5, text: "d = FALSE, mutant TRUE", differs: true },
    { line: 1, text: "n = 4", differs: false },
  ]);
  assert.deepEqual(lineValues(execution(), 7), []);
});

test("a very long execution shows the cone first and says what it leaves out", () => {
  const values = Array.from({ length: 1000 }, (_, step) => String(step));
  const variables = Array.from({ length: 50 }, (_, index) => ({
    name: `v${index}`,
    cone: index === 49,
    sides: [{ values, numbers: [] }],
    differing: [],
  }));
  const { text } = traceHtml(execution({ length: 1000, variables, sides: SENT.sides.slice(0, 1) }));
  assert.match(text, /<tbody>\s*<tr class="cone "><th scope="row">v49</);
  assert.match(text, /30 more variables/);
});

test("numbers are lines of steps between the least and the greatest", () => {
  const [truth, number, name] = execution().variables;
  assert.ok(truth && number && name);
  assert.match(waveform(number).text, /d="M0 16H8L8 2H16"/);
  assert.match(waveform(number).text, /aria-label="n: from -4 to 4"/);
  assert.equal(waveform(truth).text.match(/<path/g)?.length, 2);
  assert.equal(waveform(name).text, "");
});

test("a value that is no number leaves a gap in the line", () => {
  const [course] = execution().variables;
  assert.ok(course);
  const gap = { ...course, sides: [{ values: ["0", "-", "1"], numbers: [0, null, 1] }] };
  assert.match(waveform(gap).text, /d="M0 16H8M16 2H24"/);
});
