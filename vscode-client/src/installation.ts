/** The private Python environment in which the extension can install the server. */

import * as path from "node:path";
import { environmentInterpreter } from "./interpreters";
import type { Outcome, Run } from "./processes";

/** A step of the installation, and how it went. */
export type Installation =
  | { readonly ok: true }
  | { readonly ok: false; readonly step: string; readonly output: string };

const INSTALL_TIMEOUT_SECONDS = 900;
const OLDEST_PYTHON = "3.11";

/** Return the interpreter of the private environment below the storage of the extension. */
export function privateInterpreter(storage: string, windows: boolean): string {
  return environmentInterpreter(path.join(storage, "server"), windows);
}

/**
 * Create the private environment with the first of `pythons` that is recent enough, and install
 * the server into it.
 */
export async function install(
  storage: string,
  pythons: readonly string[],
  windows: boolean,
  run: Run,
  signal: AbortSignal,
): Promise<Installation> {
  const options = { cwd: storage, timeoutSeconds: INSTALL_TIMEOUT_SECONDS, signal };
  const python = await recentPython(pythons, run, storage);
  if (python === undefined) {
    return failure(`Python ${OLDEST_PYTHON} or newer is needed`, {
      ok: false,
      stdout: "",
      stderr: `Tried: ${pythons.join(", ")}`,
    });
  }
  const created = await run(
    [python, "-E", "-P", "-m", "venv", "--clear", path.join(storage, "server")],
    options,
  );
  if (!created.ok) {
    return failure("creating the environment failed", created);
  }
  const installed = await run(
    [privateInterpreter(storage, windows), "-E", "-P", "-m", "pip", "install", "mutproof"],
    options,
  );
  return installed.ok ? { ok: true } : failure("`pip install mutproof` failed", installed);
}

async function recentPython(
  pythons: readonly string[],
  run: Run,
  cwd: string,
): Promise<string | undefined> {
  const [major, minor] = OLDEST_PYTHON.split(".");
  const check = `import sys; sys.exit(sys.version_info < (${major}, ${minor}))`;
  for (const python of pythons) {
    if ((await run([python, "-E", "-c", check], { cwd, timeoutSeconds: 20 })).ok) {
      return python;
    }
  }
  return undefined;
}

function failure(step: string, { stdout, stderr }: Outcome): Installation {
  return { ok: false, step, output: `${stdout}\n${stderr}`.trim() };
}
