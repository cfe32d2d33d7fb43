/** The private Python environment in which the extension can install the server. */

import { readdirSync } from "node:fs";
import * as path from "node:path";
import { environmentInterpreter } from "./interpreters";
import type { Outcome, Run } from "./processes";

/** A step of the installation and its outcome. */
export type Installation =
  | { readonly ok: true }
  | { readonly ok: false; readonly step: string; readonly output: string };

const INSTALL_TIMEOUT_SECONDS = 900;
const OLDEST_PYTHON = "3.11";

/** Return the interpreter of the private environment below the storage of the extension. */
export function privateInterpreter(storage: string, windows: boolean): string {
  return environmentInterpreter(path.join(storage, "server"), windows);
}

/** Return the path of the server's wheel in the extension; undefined if it has none. */
export function carriedWheel(extension: string): string | undefined {
  const folder = path.join(extension, "server");
  try {
    const found = readdirSync(folder).find((name) => name.endsWith(".whl"));
    return found && path.join(folder, found);
  } catch {
    return undefined;
  }
}

/**
 * Create the private environment with the first of `pythons` that is recent enough, and install
 * the server into it from the extension's own wheel, never a package of that name in an index.
 * Only its dependencies come from the index. `says` is told each step as it begins.
 */
export async function install(
  storage: string,
  wheel: string | undefined,
  pythons: readonly string[],
  windows: boolean,
  run: Run,
  signal: AbortSignal,
  says: (step: string) => void,
): Promise<Installation> {
  const options = { cwd: storage, timeoutSeconds: INSTALL_TIMEOUT_SECONDS, signal };
  if (wheel === undefined) {
    return {
      ok: false,
      step: "this build of the extension carries no server; set `mutproof.server.path`",
      output: "",
    };
  }
  says(`looking for Python ${OLDEST_PYTHON} or newer…`);
  const python = await recentPython(pythons, run, storage);
  if (python === undefined) {
    return failure(`Python ${OLDEST_PYTHON} or newer is needed`, {
      ok: false,
      stdout: "",
      stderr: `Tried: ${pythons.join(", ")}`,
    });
  }
  says("creating an environment…");
  const created = await run(
    [python, "-E", "-P", "-m", "venv", "--clear", path.join(storage, "server")],
    options,
  );
  if (!created.ok) {
    return failure("creating the environment failed", created);
  }
  const own = privateInterpreter(storage, windows);
  says("installing what the server depends on…");
  const installed = await run([own, "-E", "-P", "-m", "pip", "install", wheel], options);
  if (!installed.ok) {
    return failure("`pip install` failed; what the server depends on comes from an index of Python packages", installed);
  }
  says("checking the server…");
  const checked = await run([own, "-E", "-P", "-m", "mutproof", "--version"], options);
  return checked.ok ? { ok: true } : failure("the server was installed but does not run", checked);
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
