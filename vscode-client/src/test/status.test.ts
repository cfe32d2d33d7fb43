import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { parseStatistics, type Statistics } from "../protocol";
import { counts, Status, wording } from "../status";
import { languageStatusItem, reset, statusBarItem, window } from "./vscode";

const URI = "file:///m.lus";
const RUNNING = { kind: "running", version: "0.1.0" } as const;

beforeEach(reset);

function statistics(values: Partial<Statistics>): Statistics {
  const parsed = parseStatistics({ uri: URI, ...values });
  assert.ok(parsed);
  return parsed;
}

function opened(languageId: string): void {
  window.activeTextEditor = { document: { uri: { toString: () => URI }, languageId } };
}

test("progress is shown while mutants are decided", () => {
  const said = wording(RUNNING, {
    status: { uri: URI, state: "mutating", done: 3, total: 22 },
  });
  assert.equal(said.text, "mutating 3/22");
  assert.equal(said.busy, true);
});

test("a finished run shows its counts and its cost", () => {
  const done = statistics({ killed: 5, survived: 17, verdicts: 22, kept: 4, seconds: 1.25 });
  const said = wording(RUNNING, { status: { uri: URI, state: "done" }, statistics: done });
  assert.equal(said.text, "5 killed · 17 survived");
  assert.match(said.detail, /^22 verdicts in 1\.[23] s: 4 kept/);
  assert.equal(said.busy, false);
});

test("unknown and stillborn mutants are counted apart", () => {
  const text = counts(statistics({ killed: 1, survived: 2, unknown: 3, stillborn: 4 }));
  assert.equal(text, "1 killed · 2 survived · 3 unknown · 4 stillborn");
});

test("equivalent survivors are named as such", () => {
  const text = counts(statistics({ killed: 7, survived: 27, equivalent: 9 }));
  assert.equal(text, "7 killed · 27 survived (9 equivalent)");
});

test("a cancelled run never shows counts of an earlier one", () => {
  const said = wording(RUNNING, {
    status: { uri: URI, state: "cancelled" },
    statistics: statistics({ killed: 5 }),
  });
  assert.equal(said.text, "cancelled");
});

test("counts of a text that was edited since are marked", () => {
  const known = {
    status: { uri: URI, state: "done" },
    statistics: statistics({ killed: 5, survived: 17, version: 3 }),
  } as const;
  assert.equal(wording(RUNNING, { ...known, version: 3 }).text, "5 killed · 17 survived");
  assert.equal(
    wording(RUNNING, { ...known, version: 4 }).text,
    "5 killed · 17 survived (before edits)",
  );
});

test("a failed server is an error with its reason", () => {
  const said = wording({ kind: "failed", reason: "no Python" }, {});
  assert.equal(said.severity, "error");
  assert.equal(said.detail, "no Python");
});

test("a run that failed says why in a few words", () => {
  const message = "out of memory: more than 2048 MiB";
  const said = wording(RUNNING, { status: { uri: URI, state: "failed", message } });
  assert.equal(said.text, "run failed: out of memory");
  assert.equal(said.detail, message);
  assert.equal(wording(RUNNING, { status: { uri: URI, state: "failed" } }).text, "run failed");
});

test("which documents were cancelled is known to the next server", () => {
  const status = new Status("lustre", "menu");
  status.setServer(RUNNING);
  status.setDocument({ uri: URI, state: "cancelled" });
  status.setDocument({ uri: "file:///n.lus", state: "done" });
  status.setServer({ kind: "restarting", afterMilliseconds: 1000 });
  assert.deepEqual(status.cancelledDocuments, [URI]);
  status.setServer(RUNNING);
  status.setDocument({ uri: URI, state: "queued" });
  assert.deepEqual(status.cancelledDocuments, []);
  status.setDocument({ uri: URI, state: "cancelled" });
  status.forget(URI);
  assert.deepEqual(status.cancelledDocuments, []);
});

test("the status item is shown for models, and while there is no server", () => {
  opened("lustre");
  const status = new Status("lustre", "menu");
  assert.equal(statusBarItem.visible, true);
  opened("markdown");
  status.setServer({ kind: "failed", reason: "none was found" });
  assert.equal(statusBarItem.visible, true);
  status.setServer(RUNNING);
  assert.equal(statusBarItem.visible, false);
});

test("what a crashed server said is not shown any more", () => {
  opened("lustre");
  const status = new Status("lustre", "menu");
  status.setServer(RUNNING);
  status.setStatistics(statistics({ killed: 5, survived: 17 }));
  status.setDocument({ uri: URI, state: "done" });
  assert.equal(statusBarItem.text, "$(beaker) mutproof: 5 killed · 17 survived");
  status.setServer({ kind: "restarting", afterMilliseconds: 1000 });
  status.setServer(RUNNING);
  assert.equal(statusBarItem.text, "$(beaker) mutproof: ready");
  assert.equal(languageStatusItem.text, "mutproof: ready");
});
