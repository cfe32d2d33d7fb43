/**
 * Finding the command that runs the server: the configured one, else the first Python
 * interpreter that has the package, else the private environment of this extension.
 *
 * Knows neither VS Code nor the language client.
 */

import type { Run } from "./processes";
import type { ServerSettings } from "./settings";

/** Where a server command comes from. */
export type Origin = "setting" | "python" | "private";

/** A command that may run the server. */
export interface Candidate {
  readonly origin: Origin;
  /** Words of the command without `serve`. */
  readonly words: readonly string[];
}

/** A command that has been found to run the server. */
export interface Server extends Candidate {
  readonly version: string;
}

/** Outcome of the search. */
export type Search =
  | { readonly kind: "found"; readonly server: Server }
  /** The configured command does not work; nothing else was tried. */
  | { readonly kind: "broken"; readonly words: readonly string[]; readonly reason: string }
  | { readonly kind: "missing" };

/** Inputs of the search. */
export interface Places {
  readonly settings: ServerSettings;
  /** Python interpreters, best first. */
  readonly interpreters: readonly string[];
  /** Interpreter of the private environment, whether it exists or not. */
  readonly privateInterpreter: string;
}

const VERSION_TIMEOUT_SECONDS = 20;

/**
 * Return the words that run the package with a Python interpreter. `-P` keeps the current
 * directory off the module path, and `-E` what variables add to it, so that a folder named
 * `mutproof` in a workspace is not run.
 */
export function moduleCommand(interpreter: string): readonly string[] {
  return [interpreter, "-E", "-P", "-m", "mutproof"];
}

/** List the commands that may run the server, best first. */
export function candidates(places: Places): readonly Candidate[] {
  if (places.settings.command.length > 0) {
    return [{ origin: "setting", words: places.settings.command }];
  }
  return [
    ...places.interpreters.map(
      (path): Candidate => ({ origin: "python", words: moduleCommand(path) }),
    ),
    { origin: "private", words: moduleCommand(places.privateInterpreter) },
  ];
}

/**
 * Return the first candidate that answers `--version`. A configured command that does not
 * answer is an error of its own: falling back would hide it.
 */
export async function findServer(places: Places, run: Run, cwd: string): Promise<Search> {
  for (const candidate of candidates(places)) {
    const outcome = await run([...candidate.words, "--version"], {
      cwd,
      timeoutSeconds: VERSION_TIMEOUT_SECONDS,
    });
    const version = outcome.ok ? parseVersion(outcome.stdout) : undefined;
    if (version !== undefined) {
      return { kind: "found", server: { ...candidate, version } };
    }
    if (candidate.origin === "setting") {
      const reason = outcome.ok
        ? "it does not answer --version as mutproof does"
        : (outcome.stderr.trim().split("\n").at(-1) ?? "");
      return { kind: "broken", words: candidate.words, reason };
    }
  }
  return { kind: "missing" };
}

/** Return the version in the output of `mutproof --version`, or undefined. */
export function parseVersion(output: string): string | undefined {
  return /^mutproof\s+v?(\d+\.\d+\S*)/m.exec(output)?.[1];
}

/** Return the words that start the language server over standard input and output. */
export function serveCommand(server: Candidate, settings: ServerSettings): readonly string[] {
  return [...server.words, "serve", ...settings.args];
}
