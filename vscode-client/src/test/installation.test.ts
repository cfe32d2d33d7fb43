import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { carriedWheel, install } from "../installation";
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

function installWith(
  run: Run,
  pythons: readonly string[],
  says: (step: string) => void = () => undefined,
): ReturnType<typeof install> {
  const wheel = "/extension/server/mutproof-0.1.0.whl";
  return install("/storage", wheel, pythons, false, run, new AbortController().signal, says);
}

test("the environment is created and the package installed into it", async () => {
  const commands: string[] = [];
  assert.deepEqual(await installWith(recorder(undefined, commands), ["python3"]), { ok: true });
  assert.deepEqual(commands.slice(1), [
    "python3 -E -P -m venv --clear /storage/server",
    "/storage/server/bin/python -E -P -m pip install /extension/server/mutproof-0.1.0.whl",
    "/storage/server/bin/python -E -P -m mutproof --version",
  ]);
});

test("each step is said before its command runs", async () => {
  const events: string[] = [];
  const done = await installWith(recorder(undefined, events), ["python3"], (step) => events.push(step));
  assert.deepEqual(done, { ok: true });
  const said = events.filter((event) => event.endsWith("…"));
  assert.deepEqual(said, [
    "looking for Python 3.11 or newer…",
    "creating an environment…",
    "installing what the server depends on…",
    "checking the server…",
  ]);
  assert.deepEqual(said.map((step) => events.indexOf(step)), [0, 2, 4, 6]);
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
    step: "`pip install` failed; what the server depends on comes from an index of Python packages",
    output: "no network",
  });
});

test("a server that does not run is a failure that names the step", async () => {
  const broken = await installWith(recorder("--version", []), ["python3"]);
  assert.equal(!broken.ok && broken.step, "the server was installed but does not run");
});

test("nothing is installed by name: without a wheel the step says so", async () => {
  const commands: string[] = [];
  const run = recorder(undefined, commands);
  const { signal } = new AbortController();
  const none = await install("/storage", undefined, ["python3"], false, run, signal, () => undefined);
  assert.match(none.ok ? "" : none.step, /carries no server/);
  assert.deepEqual(commands, []);
});

test("the wheel that the extension carries is found", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "mutproof-"));
  assert.equal(carriedWheel(folder), undefined);
  mkdirSync(path.join(folder, "server"));
  const wheel = path.join(folder, "server", "mutproof-0.1.0-py3-none-any.whl");
  writeFileSync(wheel, "");
  assert.equal(carriedWheel(folder), wheel);
});
