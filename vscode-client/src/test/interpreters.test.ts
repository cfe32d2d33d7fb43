import assert from "node:assert/strict";
import { test } from "node:test";
import { interpreters, type PythonApi, type PythonSurroundings } from "../interpreters";

const BARE: PythonSurroundings = {
  trusted: true,
  workspaceFolders: ["/models"],
  defaultInterpreter: undefined,
  pythonApi: undefined,
  windows: false,
  exists: () => false,
};

function api(selected: string | undefined): PythonApi {
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ path: selected ?? "" }),
      resolveEnvironment: async () =>
        selected === undefined ? undefined : { executable: { uri: { fsPath: selected } } },
      onDidChangeActiveEnvironmentPath: () => ({ dispose() {} }),
    },
  };
}

test("the environment selected in the Python extension is the only one", async () => {
  const listed = await interpreters({ ...BARE, pythonApi: api("/conda/bin/python") });
  assert.deepEqual(listed, ["/conda/bin/python"]);
});

test("without a selection: configured, workspace, PATH", async () => {
  const listed = await interpreters({
    ...BARE,
    pythonApi: api(undefined),
    defaultInterpreter: "/opt/python",
    exists: (file) => file === "/models/.venv/bin/python",
  });
  assert.deepEqual(listed, ["/opt/python", "/models/.venv/bin/python", "python3", "python"]);
});

test("a workspace that is not trusted contributes no interpreter", async () => {
  const listed = await interpreters({
    ...BARE,
    trusted: false,
    pythonApi: api("/models/.venv/bin/python"),
    defaultInterpreter: "/models/evil",
    exists: () => true,
  });
  assert.deepEqual(listed, ["python3", "python"]);
});
