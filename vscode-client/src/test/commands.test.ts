import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { type CommandParts, debugText, handlers } from "../commands";
import type { ShownText, Subject } from "../protocol";
import { answers, reset, seen, window } from "./vscode";

const URI = "file:///m.lus";

let executed: [string, readonly unknown[]][];
let shown: [ShownText, string | undefined][];
let traced: Subject[];

const PARTS: CommandParts = {
  restart: async () => undefined,
  install: async () => undefined,
  execute: async (command, args) => void executed.push([command, args]),
  showOutput: () => undefined,
  showCoverage: () => undefined,
  debugInfo: () => ({
    extensionVersion: "0.1.0",
    editor: "VS Code 1.100.3",
    platform: "linux x64",
    trusted: true,
    serverState: { kind: "running", version: "0.1.0" },
    serverCommand: ["python3", "-E", "-P", "-m", "mutproof", "serve"],
    settings: { level: "paper" },
  }),
  languages: "Lustre or NuSMV",
  texts: { show: async (text, languageId) => void shown.push([text, languageId]) },
  traces: {
    show: async (subject) => {
      traced.push(subject);
      return subject.name === "known";
    },
  },
  mutants: {
    chooseFilter: async () => undefined,
    setFollows: () => undefined,
    subject: (row) => (row === undefined ? undefined : { uri: URI, kind: "mutant", name: String(row) }),
  },
};

beforeEach(() => {
  reset();
  executed = [];
  shown = [];
  traced = [];
});

async function call(id: string, ...args: unknown[]): Promise<void> {
  const handler = handlers(PARTS).get(id);
  assert.ok(handler, id);
  await handler(...args);
}

function place(line: number, label?: string): object {
  const range = { start: { line, character: 2 }, end: { line, character: 3 } };
  return { uri: URI, range, ...(label === undefined ? {} : { label }) };
}

test("prove and cancel act on the active document", async () => {
  window.activeTextEditor = { document: { uri: { toString: () => URI }, languageId: "lustre" } };
  await call("mutproof.proveNow");
  await call("mutproof.cancel");
  assert.deepEqual(executed, [
    ["mutproof.prove", [URI]],
    ["mutproof.cancel", [URI]],
  ]);
});

test("without a document nothing is sent", async () => {
  await call("mutproof.proveNow");
  assert.deepEqual(executed, []);
  assert.equal(seen.messages.length, 1);
});

test("several findings can be chosen from, with their source lines", async () => {
  answers.files.set(URI, "node n\n  d = (a1 > 0);\n  b = a1;");
  answers.pick = 1;
  await call("mutproof.showFindings", "2 gaps", [place(1, "g2ge"), place(2)]);
  assert.deepEqual(seen.picks, [
    {
      title: "2 gaps",
      labels: ["g2ge", "3:3"],
      descriptions: ["2:3  d = (a1 > 0);", "b = a1;"],
    },
  ]);
  assert.deepEqual(seen.opened, [{ uri: URI, line: 2 }]);
});

test("a single finding is opened at once", async () => {
  await call("mutproof.showFindings", "1 gap", [place(4)]);
  assert.deepEqual(seen.picks, []);
  assert.deepEqual(seen.opened, [{ uri: URI, line: 4 }]);
});

test("no findings is a message", async () => {
  await call("mutproof.showFindings", "kills nothing", []);
  assert.deepEqual(seen.messages, ["kills nothing"]);
});

test("ill-formed arguments are refused", async () => {
  await assert.rejects(call("mutproof.showFindings", "t"));
  await assert.rejects(call("mutproof.showText", { text: "no title" }));
  await assert.rejects(call("mutproof.showActions", URI));
});

test("a diff is shown in the language of the model", async () => {
  window.activeTextEditor = { document: { uri: { toString: () => URI }, languageId: "nuxmv" } };
  await call("mutproof.showText", { title: "g2ge", left: "a > 0", right: "a >= 0" });
  assert.deepEqual(shown, [
    [{ kind: "diff", title: "g2ge", left: "a > 0", right: "a >= 0" }, "nuxmv"],
  ]);
});

test("a text of an execution is shown in the trace panel if the server knows it", async () => {
  for (const name of ["known", "forgotten"]) {
    const trace = { uri: URI, kind: "mutant", name };
    await call("mutproof.showText", { title: "t", text: `table of ${name}`, trace });
  }
  assert.deepEqual(traced.map(({ name }) => name), ["known", "forgotten"]);
  assert.deepEqual(shown.map(([text]) => text.kind === "text" && text.text), ["table of forgotten"]);
});

test("the trace of a row is shown, and the user told where there is none", async () => {
  await call("mutproof.mutants.showTrace", "known");
  assert.deepEqual(seen.messages, []);
  await call("mutproof.mutants.showTrace", "forgotten");
  await call("mutproof.mutants.showTrace");
  assert.equal(seen.messages.length, 2);
  assert.deepEqual(traced.map(({ name }) => name), ["known", "forgotten"]);
});

test("a row leads to its place in the editor that shows the file", async () => {
  const { range } = place(4) as { range: object };
  await call("mutproof.goTo", URI, range);
  assert.deepEqual(seen.opened, [{ uri: URI, line: 4 }]);
});

function traceOf(label: string): object {
  const title = `Show distinguishing trace of ${label}`;
  return { title, command: { title, command: "mutproof.showText", arguments: [{ title: label }] } };
}

function offer(...actions: object[]): void {
  window.activeTextEditor = { document: { uri: { toString: () => URI }, languageId: "lustre" } };
  answers.results.set("vscode.executeCodeActionProvider", actions);
}

test("the distinguishing trace at the cursor is shown at once if there is one", async () => {
  offer({ title: "Suppress g2ge on this line" }, traceOf("`>` → `>=`"));
  await call("mutproof.showDistinguishingTrace");
  assert.deepEqual(seen.picks, []);
  assert.deepEqual(seen.executed.at(-1), ["mutproof.showText", { title: "`>` → `>=`" }]);
});

test("of several distinguishing traces one is chosen", async () => {
  offer(traceOf("a"), traceOf("b"));
  answers.pick = 1;
  await call("mutproof.showDistinguishingTrace");
  assert.deepEqual(seen.picks.map(({ labels }) => labels), [["a", "b"]]);
  assert.deepEqual(seen.executed.at(-1), ["mutproof.showText", { title: "b" }]);
});

test("all that can be done at a place is in one list", async () => {
  const edit = { changes: {} };
  const all = "vscode.executeCodeActionProvider";
  answers.results.set(`${all} quickfix.mutproof`, [{ title: "Suppress", edit }, traceOf("a")]);
  answers.results.set(`${all} refactor.rewrite.mutproof`, [{ title: "Apply", edit }]);
  const { range } = place(4) as { range: object };
  for (const pick of [0, 1, undefined]) {
    answers.pick = pick;
    await call("mutproof.showActions", URI, range);
  }
  const labels = ["Suppress", "Show distinguishing trace of a", "Apply"];
  assert.deepEqual(seen.picks.map((pick) => pick.labels), [labels, labels, labels]);
  assert.deepEqual(seen.edits, [edit]);
  assert.deepEqual(
    seen.executed.filter(([name]) => name !== all),
    [["mutproof.showText", { title: "a" }]],
  );
});

test("without a distinguishing trace the user is told", async () => {
  offer({ title: "Suppress g2ge on this line" });
  await call("mutproof.showDistinguishingTrace");
  assert.equal(seen.messages.length, 1);
});

test("the menu runs what is chosen", async () => {
  answers.pick = 0;
  await call("mutproof.showMenu");
  assert.deepEqual(seen.executed, [["mutproof.proveNow"]]);
});

test("debug information names versions, command and settings", async () => {
  await call("mutproof.copyDebugInfo");
  assert.equal(seen.clipboard, debugText(PARTS.debugInfo()));
  assert.match(seen.clipboard, /server version: 0\.1\.0/);
  assert.match(seen.clipboard, /python3 -E -P -m mutproof serve/);
  assert.match(seen.clipboard, /"level": "paper"/);
});
