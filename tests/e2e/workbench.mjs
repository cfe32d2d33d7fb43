// VS Code in a page of a headless Chromium: what every script does there, by what a user sees and types.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";

const TIMEOUT_AFTER_FAILURE_MS = 5000;
const BROWSER_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

let failed = false;

/** Print a check as a JSON object. */
export function check(name, ok, detail) {
  failed ||= !ok;
  console.log(JSON.stringify({ name, ok: Boolean(ok), detail: JSON.stringify(detail) ?? "" }));
}

/** Processes of this run that are a server of mutproof: their ids, or else their commands. */
export function servers(what = "pid") {
  const mark = `MUTPROOF_E2E_RUN=${process.env.MUTPROOF_E2E_RUN}`;
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      const serves = environment.includes(mark) && command.includes("serve");
      return serves ? [what === "pid" ? pid : command.join(" ")] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Start a browser with a file in a window. `open` shows a file in another window, and `close`
 * ends the browser, and this process with what became of the checks.
 */
export async function start({ address, file, nodeFolder, browserPath, lastPicture, timeoutS }) {
  const { chromium } = createRequire(path.join(nodeFolder, "package.json"))("playwright-core");
  const browser = await chromium.launch({ executablePath: browserPath, args: BROWSER_ARGUMENTS });
  const windows = [];
  const open = async (shown) => {
    const window = new Window(
      await browser.newPage({ viewport: { width: 1280, height: 800 } }),
      timeoutS * 1000,
    );
    windows.push(window);
    await window.show(address, shown);
    return window;
  };
  const close = async (error) => {
    if (error !== undefined) {
      check("no step is impossible", false, String(error));
    }
    if (failed) {
      await windows.at(-1).page.screenshot({ path: lastPicture });
    }
    await browser.close();
    process.exitCode = failed ? 1 : 0;
  };
  try {
    return { window: await open(file), open, close };
  } catch (error) {
    await close(error);
    process.exit();
  }
}

/** One window of VS Code. Its methods may be passed around by themselves. */
class Window {
  constructor(page, timeoutMs) {
    this.page = page;
    this.timeoutMs = timeoutMs;
    this.check = check;
  }

  /** Show a file, with its folder as the workspace. */
  async show(address, file) {
    const opened = `vscode-remote://${new URL(address).host}${file}`;
    const payload = encodeURIComponent(JSON.stringify([["openFile", opened]]));
    await this.page.goto(`${address}?folder=${path.dirname(file)}&payload=${payload}`);
    await this.page.locator(".monaco-editor .view-line").first().waitFor({ timeout: this.timeoutMs });
  }

  /** Read a value until it is as wanted or the time is over; return the last value. */
  until = async (read, wanted) => {
    const deadline = Date.now() + (failed ? TIMEOUT_AFTER_FAILURE_MS : this.timeoutMs);
    for (;;) {
      const value = await read();
      if (wanted(value) || Date.now() > deadline) {
        return value;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  /** Check what is read once it is as wanted. */
  checkUntil = async (name, read, wanted) => {
    const value = await this.until(read, wanted);
    check(name, wanted(value), value);
    return value;
  };

  /** Texts of what a selector finds, with the no-break spaces of the editor turned into blanks. */
  texts = async (selector) =>
    (await this.page.locator(selector).allTextContents()).map((text) => text.replaceAll("\u00a0", " "));

  statusText = async () => (await this.texts('[id="mutproof.mutproof.mutproof"]')).join();

  warningCount = async () => {
    const label = await this.page.locator('[id="status.problems"] a').getAttribute("aria-label");
    return Number(/warnings: (\d+)/i.exec(label ?? "")?.[1] ?? 0);
  };

  /** Put the cursor at a place of the model, 1-based. */
  goTo = async (line, column) => {
    await this.page.keyboard.press("Control+g");
    await this.page.locator(".quick-input-widget input").waitFor();
    await this.page.keyboard.type(`:${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  };

  /** Run a command by its title in the palette. */
  command = async (title) => {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input").waitFor();
    await this.page.keyboard.type(title);
    const rows = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title });
    await rows.first().waitFor();
    await this.page.keyboard.press("Enter");
  };
}
