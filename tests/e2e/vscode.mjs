// Runs the scenario in VS Code through a headless Chromium, by what a user sees and types.
// Arguments: scenario file, address of VS Code, folder with node_modules, browser, picture of the
// survivors, picture of the last state. Prints one JSON object for each check.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import { lookAtCoverage, lookAtMutants, lookAtTests, lookAtTrace } from "./panels.mjs";

const [scenarioFile, address, nodeFolder, browserPath, picture, lastPicture] =
  process.argv.slice(2);
const scenario = JSON.parse(readFileSync(scenarioFile, "utf8"));
const { chromium } = createRequire(path.join(nodeFolder, "package.json"))("playwright-core");
const TIMEOUT_MS = scenario.timeout_s * 1000;
const TIMEOUT_AFTER_FAILURE_MS = 5000;

let failed = false;

/** Print a check. */
function check(name, ok, detail) {
  failed ||= !ok;
  console.log(JSON.stringify({ name, ok: Boolean(ok), detail: JSON.stringify(detail) ?? "" }));
}

/** Read a value until it is as wanted or the time is over; return the last value. */
async function until(read, wanted) {
  const deadline = Date.now() + (failed ? TIMEOUT_AFTER_FAILURE_MS : TIMEOUT_MS);
  for (;;) {
    const value = await read();
    if (wanted(value) || Date.now() > deadline) {
      return value;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Check what is read once it is as wanted. */
async function checkUntil(name, read, wanted) {
  const value = await until(read, wanted);
  check(name, wanted(value), value);
  return value;
}

const modelFolder = path.dirname(scenario.file);
const authority = new URL(address).host;
const payload = JSON.stringify([["openFile", `vscode-remote://${authority}${scenario.file}`]]);
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });

/** Text of the page with the no-break spaces of the editor turned into blanks. */
const plain = (text) => text.replaceAll("\u00a0", " ");
const texts = async (selector) => (await page.locator(selector).allTextContents()).map(plain);

const statusText = async () => (await texts('[id="mutproof.mutproof.mutproof"]')).join();
const lenses = () => texts(".codelens-decoration a, .codelens-decoration span");
const warningCount = async () => {
  const label = await page.locator('[id="status.problems"] a').getAttribute("aria-label");
  return Number(/warnings: (\d+)/i.exec(label ?? "")?.[1] ?? 0);
};
const countsText = ({ killed, survived }) => `${killed} killed · ${survived} survived`;
const countsName = ({ killed, survived }) => `${killed} killed and ${survived} survivors`;

/** Put the cursor at a place of the model, 1-based. */
async function goTo(line, column) {
  await page.keyboard.press("Control+g");
  await page.locator(".quick-input-widget input").waitFor();
  await page.keyboard.type(`:${line}:${column}`);
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
}

/** Run a command by its title in the palette. */
async function command(title) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").waitFor();
  await page.keyboard.type(title);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor();
  await page.keyboard.press("Enter");
}

/** Choose the first quick fix at the gap whose title matches, and check that there is one. */
async function applyFix(name, title) {
  await goTo(scenario.gap_line, scenario.gap_column);
  await page.keyboard.press("Control+.");
  const focused = page.locator(".action-widget .monaco-list-row.focused");
  await focused.first().waitFor({ timeout: TIMEOUT_MS });
  const offered = await texts(".action-widget .monaco-list-row");
  const matches = (shown) => shown.some((text) => title.test(text));
  check(name, matches(offered), offered);
  for (let row = 0; row < offered.length && !matches(await focused.allTextContents()); row++) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await page.locator(".action-widget").waitFor({ state: "hidden" });
}

/** Take a picture of the survivors in the editor, in a hover and in the list of problems. */
async function takePicture() {
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+b");
  await page.locator(".part.sidebar").waitFor({ state: "hidden" });
  await page.keyboard.press("Control+Shift+m");
  await page.locator(".markers-panel .monaco-list-row").first().waitFor();
  await page.locator(".monaco-editor .view-line").first().click();
  await goTo(scenario.picture_line, scenario.picture_column);
  await command("Show or Focus Hover");
  await page.locator(".monaco-hover:not(.hidden) .hover-contents:not(.marker)").first().waitFor();
  await page.screenshot({ path: picture, animations: "disabled" });
  await page.keyboard.press("Escape");
}

/** Processes of this run that are the server. */
function serverPids() {
  const mark = `MUTPROOF_E2E_RUN=${process.env.MUTPROOF_E2E_RUN}`;
  return readdirSync("/proc").filter((name) => {
    try {
      return (
        readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(mark) &&
        readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes("serve")
      );
    } catch {
      return false;
    }
  });
}

/** Text of the model on disk, empty while it is being written. */
const onDisk = () => readFileSync(scenario.file, "utf8");
const propertyCount = (text) => text.split(scenario.statement).length - 1;

/** Save, and wait for the file and for the end of the run that saving starts. */
async function save(changed) {
  await page.keyboard.press("Control+s");
  await until(async () => onDisk(), changed);
}

/** Look at a mutant as a diff and close it. */
async function lookAtDiff() {
  await applyFix("a mutant is offered as a diff", /difference/i);
  await checkUntil(
    "the diff shows model and mutant",
    () => page.locator(".monaco-diff-editor .view-line").count(),
    (count) => count > 0,
  );
  await page.locator(".editor-group-container.active .tab.active .codicon-close").click();
  await page.locator(".monaco-diff-editor").waitFor({ state: "hidden" });
}

/** Kill the server; it must come back with its verdicts. */
async function crash() {
  const killed = serverPids();
  check("the server is one process", killed.length === 1, killed);
  for (const pid of killed) {
    process.kill(Number(pid), "SIGKILL");
  }
  await checkUntil(
    "a killed server is started again",
    async () => serverPids(),
    (pids) => pids.length === 1 && pids[0] !== killed[0],
  );
  await checkUntil("the verdicts are there again", statusText, (text) =>
    text.includes(countsText(scenario.after)),
  );
}

/** Take the model as it was, and add the properties that a lens offers; no gap may be left. */
async function closeGaps(original) {
  await goTo(1, 1);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(original);
  await save((text) => text === original);
  const offer = /close \d+ gaps? with/;
  // The lenses of the text before stay until the run is over: an offer there adds nothing.
  const kills = `${scenario.before.killed}/${scenario.total} killed`;
  await checkUntil(
    "a lens offers properties that close gaps",
    lenses,
    (shown) =>
      shown.some((text) => text.startsWith("score") && text.includes(kills)) &&
      shown.some((text) => offer.test(text)),
  );
  await page.locator(".codelens-decoration a", { hasText: offer }).click();
  await page.locator(".tab.active.dirty").waitFor({ timeout: TIMEOUT_MS });
  await save((text) => propertyCount(text) > propertyCount(original));
  const added = propertyCount(onDisk()) - propertyCount(original);
  check("four properties at most are added", added >= 1 && added <= 4, onDisk());
  await checkUntil("no gap is left", warningCount, (count) => count === 0);
}

const editor = { page, check, checkUntil, until, command, goTo, scenario, texts };

try {
  await page.goto(`${address}?folder=${modelFolder}&payload=${encodeURIComponent(payload)}`);
  await page.locator(".monaco-editor .view-line").first().waitFor({ timeout: TIMEOUT_MS });

  // Open: survivors, lens, hover.
  await checkUntil(`opening shows ${countsName(scenario.before)}`, statusText, (text) =>
    text.includes(countsText(scenario.before)),
  );
  const warningsBefore = await checkUntil(
    "gaps are warnings in the problems count",
    warningCount,
    (count) => count >= scenario.gaps,
  );
  await checkUntil(
    "survivors are underlined in the editor",
    () => page.locator(".squiggly-warning").count(),
    (count) => count > 0,
  );
  const kills = `${scenario.before.killed}/${scenario.total}`;
  await checkUntil("a lens says that the property is proved and what it kills", lenses, (shown) =>
    shown.some((text) => text.includes("proved") && text.includes(kills)),
  );
  await page.locator(".monaco-editor .view-line").first().click();
  await goTo(scenario.gap_line, scenario.gap_column);
  await command("Show or Focus Hover");
  const hover = await checkUntil(
    "the hover names the mutant",
    async () => (await texts(".monaco-hover:not(.hidden) .hover-contents:not(.marker)")).join("\n"),
    (text) => text.includes(scenario.gap_mutant),
  );
  check("the hover says that it survives", /surviv/i.test(hover), hover);
  if (!scenario.brief) {
    await takePicture();
  }

  // A click on a lens, a mutant as a diff.
  await page.locator(".codelens-decoration a", { hasText: "proved" }).click();
  await page.locator(".quick-input-title", { hasText: /\S/ }).waitFor({ timeout: TIMEOUT_MS });
  await checkUntil(
    "a click on the lens lists places with their lines",
    () => texts(".quick-input-list .monaco-list-row"),
    (rows) => rows.some((row) => row.includes(scenario.lens_row)),
  );
  await page.keyboard.press("Escape");
  await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  if (!scenario.brief) {
    await lookAtDiff();
  }
  await lookAtTrace(editor);
  await lookAtMutants(editor);
  await lookAtCoverage(editor);
  await lookAtTests(editor);

  // Quick fix: insert a property, save.
  const original = onDisk();
  await applyFix("a property is offered", /insert.*property/i);
  await page.locator(".tab.active.dirty").waitFor({ timeout: TIMEOUT_MS });
  await save((text) => propertyCount(text) > propertyCount(original));
  check(
    "the quick fix inserts a property",
    propertyCount(onDisk()) === propertyCount(original) + 1,
    onDisk(),
  );
  await checkUntil(
    "the inserted property gets a lens of its own",
    async () => (await lenses()).filter((text) => text.includes("proved")).length,
    (count) => count === 2,
  );
  await checkUntil(
    "the inserted property kills survivors",
    warningCount,
    (count) => count < warningsBefore,
  );

  // A stronger property: fewer survivors.
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(scenario.stronger_text);
  await save((text) => text.includes(scenario.mark));
  await checkUntil(
    `the stronger property leaves ${countsName(scenario.after)}`,
    statusText,
    (text) => text.includes(countsText(scenario.after)),
  );
  await checkUntil("there are fewer warnings", warningCount, (count) => count < warningsBefore);

  if (!scenario.brief) {
    await crash();
    await closeGaps(original);
  }
} catch (error) {
  check("no step is impossible", false, String(error));
} finally {
  if (failed) {
    await page.screenshot({ path: lastPicture });
  }
  await browser.close();
}
process.exitCode = failed ? 1 : 0;
