// Runs the scenario in VS Code through a headless Chromium, by what a user sees and types.
// Arguments: scenario file, address of VS Code, folder with node_modules, browser, folder for
// pictures, picture of the last state. Prints one JSON object for each check.

import { readFileSync } from "node:fs";
import * as path from "node:path";
import { lookAtCoverage, lookAtMutants, lookAtTests, lookAtTrace } from "./panels.mjs";
import { choose, THEMES } from "./themes.mjs";
import { lookAtSecondWindow } from "./windows.mjs";
import { check, servers, start } from "./workbench.mjs";

const [scenarioFile, address, nodeFolder, browserPath, pictures, lastPicture] =
  process.argv.slice(2);
const scenario = JSON.parse(readFileSync(scenarioFile, "utf8"));
const MENU_MS = 15_000;
const TIMEOUT_MS = scenario.timeout_s * 1000;

const { window, open, close } = await start({
  address,
  file: scenario.file,
  nodeFolder,
  browserPath,
  lastPicture,
  timeoutS: scenario.timeout_s,
});
const { page, until, checkUntil, texts, statusText, warningCount, goTo, command } = window;
const editor = { ...window, scenario };
const lenses = () => texts(".codelens-decoration a, .codelens-decoration span");
const countsText = ({ killed, survived }) => `${killed} killed · ${survived} survived`;
const countsName = ({ killed, survived }) => `${killed} killed and ${survived} survivors`;

/** Choose the first quick fix at the gap whose title matches, and check that there is one. */
async function applyFix(name, title) {
  const focused = page.locator(".action-widget .monaco-list-row.focused");
  // A view that opens late takes the focus from the editor, and the keys.
  const asked = async () => {
    await page.keyboard.press("Escape");
    await goTo(scenario.gap_line, scenario.gap_column);
    await page.keyboard.press("Control+.");
    return focused.first().waitFor({ timeout: MENU_MS }).then(() => true, () => false);
  };
  await until(asked, (shown) => shown);
  const offered = await texts(".action-widget .monaco-list-row");
  const matches = (shown) => shown.some((text) => title.test(text));
  check(name, matches(offered), offered);
  for (let row = 0; row < offered.length && !matches(await focused.allTextContents()); row++) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await page.locator(".action-widget").waitFor({ state: "hidden" });
}

/** Go from a diagnostic to what explains its code, and back. */
async function lookUpCode() {
  const link = page.locator(".monaco-hover:not(.hidden) a.code-link").first();
  const code = await link.textContent();
  await link.click();
  const tab = page.locator(".tab", { hasText: "explained.md" });
  await tab.waitFor({ timeout: TIMEOUT_MS });
  await checkUntil(
    "a code leads to what explains it",
    () => texts(".monaco-editor .view-line"),
    (shown) => shown.some((line) => line === `## ${code}`),
  );
  await tab.locator(".codicon-close").click();
  await tab.waitFor({ state: "detached" });
}

/** Take pictures of the survivors in the editor, in a hover and in the list of problems. */
async function takePictures() {
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+b");
  await page.locator(".part.sidebar").waitFor({ state: "hidden" });
  await page.keyboard.press("Control+Shift+m");
  await page.locator(".markers-panel .monaco-list-row").first().waitFor();
  for (const [name, theme, mark] of THEMES) {
    await choose(editor, theme, mark);
    await page.locator(".monaco-editor .view-line").first().click();
    await goTo(scenario.picture_line, scenario.picture_column);
    await command("Show or Focus Hover");
    const shown = page.locator(".monaco-hover:not(.hidden) .hover-contents:not(.marker)");
    await shown.filter({ hasText: "proved" }).first().waitFor();
    const file = path.join(pictures, `mutproof-vscode${name}.png`);
    await page.screenshot({ path: file, animations: "disabled" });
    await page.keyboard.press("Escape");
  }
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
  const killed = servers();
  check("the server is one process", killed.length === 1, killed);
  for (const pid of killed) {
    process.kill(Number(pid), "SIGKILL");
  }
  await checkUntil(
    "a killed server is started again",
    async () => servers(),
    (pids) => pids.length === 1 && pids[0] !== killed[0],
  );
  await checkUntil("the verdicts are there again", statusText, (text) =>
    text.includes(countsText(scenario.after)),
  );
}

/** Take the model as it was. */
async function restore(original) {
  await goTo(1, 1);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(original);
  await save((text) => text === original);
}

/** Add the properties that a lens offers for the model as it was; no gap may be left. */
async function closeGaps(original) {
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

try {
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
    await lookUpCode();
    await takePictures();
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
    await lookAtSecondWindow({ open, scenario, countsText }, () => restore(original));
    await closeGaps(original);
  }
  await close();
} catch (error) {
  await close(error);
}
