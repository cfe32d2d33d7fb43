/** Running programs to their end. */

import { execFile } from "node:child_process";

/** How a program ended. */
export interface Outcome {
  /** Whether it exited with 0. */
  readonly ok: boolean;
  readonly stdout: string;
  /** What it wrote to standard error, or why it could not be run. */
  readonly stderr: string;
}

/** Limits of one run. */
export interface RunOptions {
  /** Directory to run in. */
  readonly cwd: string;
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal;
}

/** Runs a command, given as words; never rejects. */
export type Run = (command: readonly string[], options: RunOptions) => Promise<Outcome>;

/** Run a command without a shell. */
export const run: Run = ([program = "", ...args], { cwd, timeoutSeconds, signal }) =>
  new Promise((resolve) => {
    execFile(
      program,
      args,
      {
        cwd,
        timeout: timeoutSeconds * 1000,
        windowsHide: true,
        ...(signal === undefined ? {} : { signal }),
      },
      (error, stdout, stderr) =>
        resolve({ ok: error === null, stdout, stderr: stderr || (error?.message ?? "") }),
    );
  });
