import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../processes";
import { findServer, parseVersion, serveCommand } from "../server";

const UNSET = { command: [], args: [] };

/** Run commands of which only those starting with a key of `versions` answer. */
function answering(versions: Record<string, string>, tried: string[] = []): Run {
  return async ([program = ""]) => {
    tried.push(program);
    const stdout = versions[program];
    return stdout === undefined
      ? { ok: false, stdout: "", stderr: "Traceback\nNo module named mutproof\n" }
      : { ok: true, stdout, stderr: "" };
  };
}

function search(run: Run, command: readonly string[] = []): ReturnType<typeof findServer> {
  const places = {
    settings: { command, args: [] },
    interpreters: ["/venv/bin/python", "python3"],
    privateInterpreter: "/storage/server/bin/python",
  };
  return findServer(places, run, "/");
}

test("the configured command comes first", async () => {
  const tried: string[] = [];
  const run = answering({ "/x/mutproof": "mutproof 0.1.0\n", python3: "mutproof 9.9" }, tried);
  const found = await search(run, ["/x/mutproof"]);
  assert.deepEqual(found, {
    kind: "found",
    server: { origin: "setting", words: ["/x/mutproof"], version: "0.1.0" },
  });
  assert.deepEqual(tried, ["/x/mutproof"]);
});

test("a configured command that fails is reported, not replaced", async () => {
  const found = await search(answering({ python3: "mutproof 0.1.0" }), ["/gone"]);
  assert.deepEqual(found, {
    kind: "broken",
    words: ["/gone"],
    reason: "No module named mutproof",
  });
});

test("a configured command that is another program is reported", async () => {
  const found = await search(answering({ "/bin/ls": "ls (GNU coreutils) 9.1" }), ["/bin/ls"]);
  assert.equal(found.kind, "broken");
});

test("the first interpreter with the package wins", async () => {
  const found = await search(answering({ python3: "mutproof 0.2.0" }));
  assert.deepEqual(found, {
    kind: "found",
    server: { origin: "python", words: ["python3", "-E", "-P", "-m", "mutproof"], version: "0.2.0" },
  });
});

test("the private environment is the last resort", async () => {
  const tried: string[] = [];
  const found = await search(
    answering({ "/storage/server/bin/python": "mutproof 0.1.0" }, tried),
  );
  assert.equal(found.kind === "found" && found.server.origin, "private");
  assert.deepEqual(tried, ["/venv/bin/python", "python3", "/storage/server/bin/python"]);
});

test("no server anywhere is said so", async () => {
  assert.deepEqual(await search(answering({})), { kind: "missing" });
});

test("versions are read from the first words", () => {
  assert.equal(parseVersion("mutproof 1.2.3rc1\n"), "1.2.3rc1");
  assert.equal(parseVersion("Python 3.11.2\n"), undefined);
});

test("the server is run with serve and the configured arguments", () => {
  const command = serveCommand(
    { origin: "setting", words: ["mutproof"] },
    { ...UNSET, args: ["--verbose"] },
  );
  assert.deepEqual(command, ["mutproof", "serve", "--verbose"]);
});
