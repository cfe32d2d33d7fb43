import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDeed } from "../views/panel";

test("only known deeds of a page are done", () => {
  assert.deepEqual(parseDeed({ kind: "step", step: 3 }), { kind: "step", step: 3 });
  assert.deepEqual(parseDeed({ kind: "reveal", index: 0 }), { kind: "reveal", index: 0 });
  assert.deepEqual(parseDeed({ kind: "export", format: "csv" }), { kind: "export", format: "csv" });
  const others = [null, 5, {}, { kind: "step", step: -1 }, { kind: "step", step: 0.5 }];
  for (const other of [...others, { kind: "command", command: "x" }, { kind: "reveal" }]) {
    assert.equal(parseDeed(other), undefined);
  }
});
