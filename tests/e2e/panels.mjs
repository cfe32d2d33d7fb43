// What the panels of the extension show and do, seen through the pages inside the editor.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { choose, THEMES } from "./themes.mjs";

/** Return the page of the panel whose content has an element, undefined if none comes. */
async function panelWith({ page, until }, selector) {
  return until(
    async () => {
      for (const frame of page.frames()) {
        // A frame may be replaced meanwhile.
        if ((await frame.locator(selector).count().catch(() => 0)) > 0) {
          return frame;
        }
      }
      return undefined;
    },
    (frame) => frame !== undefined,
  );
}

const AXE = readFileSync(
  new URL("../../vscode-client/node_modules/axe-core/axe.min.js", import.meta.url),
  "utf8",
);

/** Check that nobody is shut out of a panel, by the rules of axe, in every theme. */
async function checkAccess(name, panel, editor) {
  await panel.evaluate(AXE);
  for (const [, theme, mark] of editor.scenario.brief ? THEMES.slice(-1) : THEMES) {
    await choose(editor, theme, mark);
    await editor.checkUntil(
      `${name} follows the theme ${theme}`,
      () => panel.evaluate(() => document.body.dataset.vscodeThemeId ?? ""),
      (shown) => shown === theme,
    );
    const found = await panel.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document.getElementById("content"));
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
    });
    editor.check(`${name} has no fault that axe finds in ${theme}`, found.length === 0, found);
  }
}

/** Texts that decorations put behind the lines of the editor. */
function textsBehindLines(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll(".view-lines .view-line span")]
      .map((span) => getComputedStyle(span, "::after").content)
      .filter((text) => text.includes(" = ")),
  );
}

/** Open an execution at the gap, step through it, go to the source from it, save it. */
export async function lookAtTrace(editor) {
  const { page, check, checkUntil, command, goTo, scenario } = editor;
  await goTo(scenario.gap_line, scenario.gap_column);
  await command("Show Distinguishing Trace");
  await page.locator(".quick-input-title", { hasText: "Model beside mutant" }).waitFor();
  await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await page.keyboard.press("Enter");
  const panel = await panelWith(editor, "table[role=grid]");
  check("the trace panel opens", panel !== undefined, page.frames().length);
  await checkUntil(
    "a cell of the trace panel says its value in words",
    () => panel.locator(`td[aria-label*="${scenario.trace.cell}"]`).count(),
    (count) => count > 0,
  );
  await checkUntil(
    "values of the step stand behind the lines of the model",
    () => textsBehindLines(page),
    (shown) => shown.some((text) => text.includes(scenario.trace.behind)),
  );

  await checkAccess("the trace panel", panel, editor);

  await panel.locator("td.chosen").first().click();
  for (const key of scenario.trace.keys) {
    await page.keyboard.press(key);
  }
  await checkUntil(
    "arrow keys step through the execution",
    () => panel.locator("#said").textContent(),
    (text) => text.startsWith(scenario.trace.said),
  );

  await panel.locator("button[data-format=csv]").click();
  await page.locator(".quick-input-title", { hasText: "Save Execution" }).waitFor();
  await page.keyboard.press("Enter");
  const file = `${scenario.file}.csv`;
  await checkUntil(
    "the execution is saved as a table",
    async () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
    (text) => text.includes("(step)"),
  );

  await panel.locator("button[data-act=reveal]", { hasText: scenario.trace.variable }).first().click();
  await checkUntil(
    "a click on a variable leads to the source",
    () => page.locator('[id="status.editor.selection"]').textContent(),
    (text) => text.includes(`Ln ${scenario.trace.line},`),
  );
  await page.locator(".tab", { hasText: scenario.trace.tab }).locator(".codicon-close").click();
  await page.locator(".tab", { hasText: scenario.trace.tab }).waitFor({ state: "detached" });
}

/** Look at the mutants of the file by node and element, go to the gap's, see its execution. */
export async function lookAtMutants(editor) {
  const { page, checkUntil, command, goTo, scenario, texts } = editor;
  await command("Focus on Mutants View");
  await checkUntil(
    "the view of mutants counts the survivors of the node",
    () => texts(".sidebar .monaco-list-row"),
    (shown) => shown.some((text) => text.includes(`${scenario.before.killed}/${scenario.total} killed`)),
  );
  await page.locator(".monaco-editor .view-line").first().click();
  await goTo(scenario.gap_line, scenario.gap_column);
  const element = page.locator(".sidebar .monaco-list-row.selected");
  await checkUntil(
    "the view of mutants follows the cursor",
    () => element.textContent().catch(() => ""),
    (text) => text.includes(scenario.trace.element),
  );
  await element.locator(".monaco-tl-twistie").click();
  const mutant = page.locator(".sidebar .monaco-list-row[aria-level='3']").first();
  await checkUntil(
    "an element opens to its mutants",
    () => mutant.getAttribute("aria-label").catch(() => ""),
    (label) => /gap|same model/.test(label ?? ""),
  );
  await command("Show Explorer");
}

/** Run properties and elements as tests, look at the coverage of lines, make tests of the model. */
export async function lookAtTests({ page, checkUntil, command, scenario, texts }) {
  await command("Test: Run All Tests with Coverage");
  await checkUntil(
    "lines are covered by the mutants that are killed there",
    () => page.locator(".coverage-deco-gutter").count(),
    (count) => count > 0,
  );
  await command("Focus on Test Explorer View");
  await checkUntil(
    "properties and elements come out as tests",
    () => page.locator(".test-explorer .codicon-testing-failed-icon").count(),
    (count) => count > 0,
  );
  await page.locator(".test-explorer .monaco-list-row[aria-expanded='false'] .monaco-tl-twistie").first().click();
  await page.locator(".monaco-editor .view-line").first().click();
  await command("mutproof: Make Tests of This File");
  const kept = () => texts(".test-explorer .monaco-list-row");
  const isPassing = (text) => /^Tests([1-9]\d*)\/\1 pass/.test(text);
  await checkUntil("the tests beside the model pass", kept, (rows) => rows.some(isPassing));
  rmSync(scenario.file.replace(/\.\w+$/, ".suite.json"));
  await checkUntil("tests that are deleted are gone", kept, (rows) => !rows.some(isPassing));
  await command("Show Explorer");
}

/** Look at which element each property needs, and go to an element from there. */
export async function lookAtCoverage(editor) {
  const { page, check, checkUntil, command, goTo, scenario } = editor;
  await page.locator(".monaco-editor .view-line").first().click();
  await goTo(1, 1);
  await command("mutproof: Show Coverage");
  const panel = await panelWith(editor, "table[aria-label='Elements and properties']");
  check("the coverage panel opens", panel !== undefined, page.frames().length);
  await checkUntil(
    "the coverage panel says what a property needs and kills",
    () => panel.locator("td.must").allTextContents(),
    (cells) => cells.includes(`MUST · ${scenario.before.killed} kills`),
  );
  await checkAccess("the coverage panel", panel, editor);
  const name = new RegExp(`^${scenario.trace.element.replace(/[()]/g, "\\$&")}$`);
  await panel.locator("tbody button.link", { hasText: name }).click();
  await checkUntil(
    "a click on an element leads to the source",
    () => page.locator('[id="status.editor.selection"]').textContent(),
    (text) => text.includes(`Ln ${scenario.gap_line},`),
  );
  await checkUntil(
    "the element at the cursor is marked in the coverage panel",
    () => panel.locator("tr[aria-current] th").allTextContents(),
    (marked) => marked.includes(scenario.trace.element),
  );
  await page.locator(".tab", { hasText: "Coverage of" }).locator(".codicon-close").click();
  await page.locator(".tab", { hasText: "Coverage of" }).waitFor({ state: "detached" });
}
