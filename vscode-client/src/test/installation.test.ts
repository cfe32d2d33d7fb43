import assert from "node:assert/strict";
import { test } from "node:test";
import { install } from "../installation";
import type { Run } from "../processes";

/** Record commands; those whose text contains `failing` fail. */
function recorder(failing: string | undefined, commands: string[]): Run {
  return async (words) => {
    const command = words.join(" ");
    commands.push(command);
    const ok = failing === undefined || !command.includes(failing);
    return { ok, stdout: "", stderr: ok ? "" : "no network" };
  };
}

function installWith(run: Run, pythons: readonly string[]): ReturnType<typeof install> {
  return install("/storage", pythons, false, run, new AbortController().signal);
}

test("the environment is created and the package installed into it", async () => {
  const commands: string[] = [];
  assert.deepEqual(await installWith(recorder(undefined, commands), ["python3"]), { ok: true });
  assert.deepEqual(commands.slice(1), [
    "python3 -E -P -m venv --clear /storage/server",
    "/storage/server/bin/python -E -P -m pip install mutproof",
  ]);
});

test("the first interpreter that is recent enough is taken", async () => {
  const commands: string[] = [];
  await installWith(recorder("/old/python", commands), ["/old/python", "python3"]);
  assert.equal(commands[2], "python3 -E -P -m venv --clear /storage/server");
});

test("a missing interpreter and a failing pip name the step", async () => {
  const none = await installWith(recorder("python", []), ["python3"]);
  assert.equal(!none.ok && none.step, "Python 3.11 or newer is needed");
  const offline = await installWith(recorder("pip install", []), ["python3"]);
  assert.deepEqual(offline, {
    ok: false,
    step: "`pip install mutproof` failed",
    output: "no network",
  });
});
