import assert from "node:assert/strict";
import { test } from "node:test";
import { RestartPolicy } from "../restarts";

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
