// Opens pages that mutproof wrote in a headless Chromium, as a reader does, light and dark.
// Arguments: file with the pages, folder with node_modules, browser, folder for pictures.
// Prints one JSON object for each check.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

const [pagesFile, nodeFolder, browserPath, pictures] = process.argv.slice(2);
const required = createRequire(path.join(nodeFolder, "package.json"));
const { chromium } = required("playwright-core");
const axe = readFileSync(required.resolve("axe-core/axe.min.js"), "utf8");

const TIMEOUT_MS = 10_000;

/** Print a check. */
function check(name, ok, detail) {
  console.log(JSON.stringify({ name, ok: Boolean(ok), detail: JSON.stringify(detail) ?? "" }));
}

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

for (const { name, file, mutants, copies, differs } of JSON.parse(readFileSync(pagesFile, "utf8"))) {
  const address = pathToFileURL(file).href;
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width: 1280, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const wrong = [];
    page.on("console", (said) => said.type() === "error" && wrong.push(said.text()));
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("request", (asked) => asked.url() === address || wrong.push(asked.url()));
    await page.goto(address);
    const about = `${name} ${colorScheme}`;

    if (mutants) {
      await page.getByRole("tab", { name: "Mutants" }).first().waitFor();
      await page.locator("mutation-test-report-app a:visible", { hasText: mutants.file }).first().click();
      const shown = page.locator("mte-mutant-view .mutant");
      await shown.first().waitFor();
      check(`${about}: each mutant is in its text`, (await shown.count()) >= mutants.least, {
        shown: await shown.count(),
      });
    }
    if (differs) {
      const marked = await page.locator("td.differs").allTextContents();
      const said = marked.filter((text) => text.includes("differs"));
      check(`${about}: what differs is marked, and said`, said.length > 0 && said.length === marked.length, marked);
    }
    if (copies) {
      const button = page.getByRole("button", { name: /^Copy / }).first();
      await button.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("status").getByText("copied").waitFor({ state: "attached" });
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      const text = await page.locator("article pre").first().textContent();
      check(`${about}: a property is copied by keyboard`, copied === text && copied !== "", copied);
    }
    await page.screenshot({ path: path.join(pictures, `${name}-${colorScheme}.png`), fullPage: true });
    const [paper, ink] = await page.evaluate(() => {
      const style = getComputedStyle(document.body);
      return [style.backgroundColor, style.color].map((one) => Number(/\d+/.exec(one)[0]));
    });
    check(`${about}: the page has these colours`, paper > ink === (colorScheme === "light"), [paper, ink]);
    // The policy forbids scripts of others, so what checks the page is put in from outside it.
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run({ exclude: ["mutation-test-report-app"] }));
    const faults = found.violations.map((one) => [one.id, one.nodes.map((node) => node.html).slice(0, 3)]);
    check(`${about}: axe finds nothing to mend`, faults.length === 0 && found.passes.length > 10, faults);
    check(`${about}: nothing is fetched, refused or broken`, wrong.length === 0, wrong);
    await context.close();
  }
}
await browser.close();
