// The themes of VS Code in which the extension is looked at.

import { readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";

/** Ends of names of pictures, names of themes, and their marks; the last one is that of the scripts. */
export const THEMES = [
  ["-contrast", "Default High Contrast", "hc-black"],
  ["-dark", "Default Dark Modern", "vs-dark"],
  ["", "Default Light Modern", "vs"],
];

/** Choose a theme; the settings of the folder have it. */
export async function choose({ page, scenario, timeoutMs }, theme, mark) {
  const file = path.join(path.dirname(scenario.file), ".vscode", "settings.json");
  const settings = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...settings, "workbench.colorTheme": theme }));
  await page.locator(`.monaco-workbench.${mark}`).waitFor({ timeout: timeoutMs });
}
