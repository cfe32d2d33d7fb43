/** The command as a mutation server, asked by the client library of Stryker's extension and checked by the schemas of
 * the protocol, both as published on npm. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import rpc from "json-rpc-2.0";
import { ConfigureResult, DiscoverResult, MutationTestResult } from "mutation-server-protocol";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PYTHON = path.join(ROOT, ".venv", process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
/** What Stryker's extension compares with. */
const VERSION = "0.4.0";

test("Stryker's protocol and client drive a run and see its result", { timeout: 120_000 }, async () => {
  const words = ["-m", "mutproof", "serve", "stdio", "--", "--level", "paper", "--no-cache"];
  const server = spawn(PYTHON, words, { cwd: path.join(ROOT, "examples") });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const client = new rpc.JSONRPCClient((request) => {
    const body = Buffer.from(JSON.stringify(request));
    server.stdin.write(`Content-Length: ${body.byteLength}\r\n\r\n${body}`);
  });
  const told = [];
  let left = Buffer.alloc(0);
  server.stdout.on("data", (data) => {
    left = Buffer.concat([left, data]);
    for (let head = left.indexOf("\r\n\r\n"); head >= 0; head = left.indexOf("\r\n\r\n")) {
      const length = Number(/^Content-Length: (\d+)$/.exec(left.subarray(0, head).toString())?.[1]);
      if (left.length < head + 4 + length) return;
      const message = JSON.parse(left.subarray(head + 4, head + 4 + length).toString());
      left = left.subarray(head + 4 + length);
      if (message.id !== undefined) client.receive(message);
      else {
        assert.equal(message.method, "reportMutationTestProgress");
        told.push(MutationTestResult.parse(message.params));
      }
    }
  });

  try {
    assert.equal(ConfigureResult.parse(await client.request("configure", {})).version, VERSION);
    const files = [{ path: path.join(ROOT, "examples", "demo2.lus") }];
    const discovered = DiscoverResult.parse(await client.request("discover", { files }));
    const mutants = discovered.files["demo2.lus"]?.mutants ?? [];
    const run = { mutants: { "demo2.lus": { mutants } } };
    const result = MutationTestResult.parse(await client.request("mutationTest", run));

    const found = result.files["demo2.lus"]?.mutants ?? [];
    const identities = (list) => list.map((mutant) => mutant.id);
    assert.ok(mutants.length > 0);
    assert.deepEqual(identities(found), identities(mutants));
    const streamed = told.flatMap((part) => part.files["demo2.lus"]?.mutants ?? []);
    assert.deepEqual(identities(streamed).sort(), identities(mutants).sort());
    const shown = found.map((m) => `${m.location.start.line} ${m.mutatorName} ${m.replacement} ${m.status}`);
    assert.equal(shown[0], "6 g2ge >= 0 Survived");
    const killed = found.filter((mutant) => mutant.status === "Killed");
    assert.deepEqual([found.length, killed.length], [22, 5]);
    assert.ok(killed.every((mutant) => mutant.killedBy?.includes("Prop1")));
  } finally {
    server.stdin.end();
  }
  assert.equal(await ended, 0);
});
