/** The Python interpreters that may have the server installed. */

import * as path from "node:path";

/** The part of the API of the extension `ms-python.python` that is used here. */
export interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: unknown): { readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable: { readonly uri?: { readonly fsPath: string } } } | undefined>;
    onDidChangeActiveEnvironmentPath(listener: () => void): { dispose(): void };
  };
}

/** Information about Python where the extension runs. */
export interface PythonSurroundings {
  /** Whether files of the workspace may be executed. */
  readonly trusted: boolean;
  readonly workspaceFolders: readonly string[];
  /** Value of `python.defaultInterpreterPath`, if it is set. */
  readonly defaultInterpreter: string | undefined;
  /** API of the Python extension, if that is installed and active. */
  readonly pythonApi: PythonApi | undefined;
  readonly windows: boolean;
  readonly exists: (file: string) => boolean;
}

/**
 * List interpreters, best first: the one selected in the Python extension; without it, the
 * configured one, those of the workspace folders, and those on the PATH. A workspace that is
 * not trusted contributes none.
 */
export async function interpreters(surroundings: PythonSurroundings): Promise<readonly string[]> {
  const onPath = surroundings.windows ? ["python", "py"] : ["python3", "python"];
  if (!surroundings.trusted) {
    return onPath;
  }
  const selected = await selectedInterpreter(surroundings.pythonApi);
  if (selected !== undefined) {
    return [selected];
  }
  const configured = surroundings.defaultInterpreter;
  const local = surroundings.workspaceFolders
    .map((folder) => environmentInterpreter(path.join(folder, ".venv"), surroundings.windows))
    .filter(surroundings.exists);
  return [...new Set([...(configured ? [configured] : []), ...local, ...onPath])];
}

/** Return the path of the interpreter in a virtual environment. */
export function environmentInterpreter(environment: string, windows: boolean): string {
  return windows
    ? path.join(environment, "Scripts", "python.exe")
    : path.join(environment, "bin", "python");
}

async function selectedInterpreter(api: PythonApi | undefined): Promise<string | undefined> {
  if (api === undefined) {
    return undefined;
  }
  const environment = api.environments.getActiveEnvironmentPath();
  return (await api.environments.resolveEnvironment(environment))?.executable.uri?.fsPath;
}
