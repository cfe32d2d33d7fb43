import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../processes";

const OPTIONS = { cwd: ".", timeoutSeconds: 20 };

test("a program is run without a shell", async () => {
  const outcome = await run([process.execPath, "-p", "'a b $HOME'"], OPTIONS);
  assert.deepEqual(outcome, { ok: true, stdout: "a b $HOME\n", stderr: "" });
});

test("a failing program is an outcome", async () => {
  const outcome = await run([process.execPath, "-e", "console.error('no'); process.exit(3)"], OPTIONS);
  assert.deepEqual(outcome, { ok: false, stdout: "", stderr: "no\n" });
});

test("a program that does not exist is an outcome with a reason", async () => {
  const outcome = await run(["/nowhere/mutproof"], OPTIONS);
  assert.equal(outcome.ok, false);
  assert.match(outcome.stderr, /ENOENT/);
});
