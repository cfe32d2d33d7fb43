import assert from "node:assert/strict";
import { test } from "node:test";
import { type Configuration, expand, readServerSettings } from "../settings";

const VARIABLES = {
  home: "/home/ada",
  workspaceFolder: "/models",
  environment: { VENV: "/opt/venv" },
};

function configuration(workspace: Record<string, unknown>, user: Record<string, unknown>): Configuration {
  return {
    get: <T>(key: string) => (workspace[key] ?? user[key]) as T | undefined,
    inspect: <T>(key: string) => ({ globalValue: user[key] as T }),
  };
}

test("a path may be one string with blanks", () => {
  const read = readServerSettings(
    configuration({ "server.path": "/opt/my tools/mutproof" }, {}),
    true,
    VARIABLES,
  );
  assert.deepEqual(read, { command: ["/opt/my tools/mutproof"], args: [] });
});

test("a path may be a list of words with variables", () => {
  const read = readServerSettings(
    configuration(
      { "server.path": ["${env:VENV}/bin/python", "-m", "mutproof"], "server.args": ["--log", "~/l"] },
      {},
    ),
    true,
    VARIABLES,
  );
  assert.deepEqual(read, {
    command: ["/opt/venv/bin/python", "-m", "mutproof"],
    args: ["--log", "/home/ada/l"],
  });
});

test("an empty or ill-typed path is no path", () => {
  for (const value of ["", "  ", [], 7, undefined, [1, 2]]) {
    const read = readServerSettings(configuration({ "server.path": value }, {}), true, VARIABLES);
    assert.deepEqual(read.command, []);
  }
});

test("an untrusted workspace cannot choose the server", () => {
  const evil = configuration(
    { "server.path": ["./evil"], "server.args": ["--evil"] },
    { "server.path": "/usr/bin/mutproof" },
  );
  assert.deepEqual(readServerSettings(evil, false, VARIABLES), {
    command: ["/usr/bin/mutproof"],
    args: [],
  });
});

test("an unknown variable stays visible", () => {
  assert.equal(expand("${env:NONE}/${workspaceFolder}/${x}", VARIABLES), "${env:NONE}//models/${x}");
  assert.equal(
    expand("${workspaceFolder}", { ...VARIABLES, workspaceFolder: undefined }),
    "${workspaceFolder}",
  );
});
