import assert from "node:assert/strict";
import { test } from "node:test";
import { RestartPolicy, untilStarted } from "../restarts";

test("the first restart is immediate, later ones wait longer, the fifth crash ends it", () => {
  const policy = new RestartPolicy(() => 0);
  const decisions = Array.from({ length: 5 }, () => policy.crashed());
  assert.deepEqual(decisions, [
    { kind: "restart", afterMilliseconds: 0 },
    { kind: "restart", afterMilliseconds: 1_000 },
    { kind: "restart", afterMilliseconds: 5_000 },
    { kind: "restart", afterMilliseconds: 15_000 },
    { kind: "give-up" },
  ]);
});

test("old crashes are forgiven", () => {
  let time = 0;
  const policy = new RestartPolicy(() => time);
  policy.crashed();
  time = 180_000;
  assert.deepEqual(policy.crashed(), { kind: "restart", afterMilliseconds: 0 });
});

test("a restart by the user forgives all crashes", () => {
  const policy = new RestartPolicy(() => 0);
  policy.crashed();
  policy.reset();
  assert.deepEqual(policy.crashed(), { kind: "restart", afterMilliseconds: 0 });
});

test("a click waits for a server that starts again, and not for one that ended", async () => {
  const states = ["restarting", "starting", "starting", "running"];
  let pauses = 0;
  const pause = () => {
    pauses += 1;
    return Promise.resolve();
  };
  await untilStarted(() => states[pauses] ?? "running", pause);
  assert.equal(pauses, 3);
  await untilStarted(() => "failed", pause);
  assert.equal(pauses, 3);
  await untilStarted(() => "restarting", pause);
  assert.equal(pauses, 603);
});
