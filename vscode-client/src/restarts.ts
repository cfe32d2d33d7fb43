/** When to start a crashed server again. */

/** Reaction to a crash. */
export type Decision =
  | { readonly kind: "restart"; readonly afterMilliseconds: number }
  | { readonly kind: "give-up" };

const DELAYS_MILLISECONDS = [0, 1_000, 5_000, 15_000] as const;
const FORGIVEN_AFTER_MILLISECONDS = 180_000;

/**
 * Counts crashes and decides: restart at once, then after growing delays, then give up. Crashes
 * more than three minutes old do not count.
 */
export class RestartPolicy {
  private crashes: number[] = [];

  /** @param now - current time in milliseconds */
  constructor(private readonly now: () => number) {}

  /** Count a crash and decide what to do. */
  crashed(): Decision {
    const time = this.now();
    this.crashes = this.crashes.filter((crash) => time - crash < FORGIVEN_AFTER_MILLISECONDS);
    const afterMilliseconds = DELAYS_MILLISECONDS[this.crashes.length];
    this.crashes.push(time);
    return afterMilliseconds === undefined
      ? { kind: "give-up" }
      : { kind: "restart", afterMilliseconds };
  }

  /** Forget all crashes: the user asked for a fresh start. */
  reset(): void {
    this.crashes = [];
  }
}

const PAUSE_MILLISECONDS = 100;
const PATIENCE_MILLISECONDS = 60_000;

/**
 * Wait while a server starts or restarts, so that a click on results of an earlier process is
 * not lost. Gives up after a minute.
 */
export async function untilStarted(
  kind: () => string,
  pause: (milliseconds: number) => Promise<void> = sleep,
): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MILLISECONDS; waited += PAUSE_MILLISECONDS) {
    if (!["starting", "restarting"].includes(kind())) {
      return;
    }
    await pause(PAUSE_MILLISECONDS);
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
