// Opens pages with few and with many mutants, in turn, and compares how long each takes.
// Arguments: file with the pages, folder with node_modules, browser.
// Times are the shortest of some rounds, taken in the page itself, and only ever compared with each
// other. Prints one JSON object for each check, with the times in its name.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

const [pagesFile, nodeFolder, browserPath] = process.argv.slice(2);
const { chromium } = createRequire(path.join(nodeFolder, "package.json"))("playwright-core");

const ROUNDS = 4;
const pages = JSON.parse(readFileSync(pagesFile, "utf8"));
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

/** In the page: define when what a selector finds is drawn, in whatever shadow it stands. */
function prepare() {
  const within = (root, selector) => {
    const found = root.querySelector(selector);
    if (found !== null) return found;
    for (const { shadowRoot } of root.querySelectorAll("*")) {
      const inside = shadowRoot && within(shadowRoot, selector);
      if (inside) return inside;
    }
    return null;
  };
  globalThis.viewed = (selector) => {
    const root = document.querySelector("mutation-test-report-app")?.shadowRoot;
    return root ? within(root, selector) : null;
  };
  globalThis.drawn = (selector, since) =>
    new Promise((resolve) => {
      const look = () => {
        if (globalThis.viewed(selector)?.getClientRects().length > 0)
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - since)));
        else requestAnimationFrame(look);
      };
      look();
    });
  globalThis.opened = globalThis.drawn("tbody a[href*=lus]", 0);
}

for (let round = 0; round < ROUNDS; round += 1) {
  for (const one of pages) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript(prepare);
    await page.goto(pathToFileURL(one.file).href, { waitUntil: "commit" });
    const opened = await page.evaluate(() => globalThis.opened);
    await page.waitForLoadState("load");
    const shown = await page.evaluate(() => {
      const since = performance.now();
      globalThis.viewed("tbody a[href*=lus]").click();
      return globalThis.drawn(".mutant", since);
    });
    one.opened = Math.min(one.opened ?? Infinity, opened);
    one.shown = Math.min(one.shown ?? Infinity, shown);
    await context.close();
  }
}
await browser.close();

const [few, ...others] = pages;
for (const many of others)
  for (const [kind, what] of [["opened", "open"], ["shown", "show a file"]]) {
    const [time, most] = [many[kind], few[kind] * many.times[kind]];
    const name =
      `${many.name}: ${what} in ${Math.round(time)} ms, at most ${many.times[kind]} times` +
      ` the ${Math.round(few[kind])} ms of ${few.name}`;
    console.log(JSON.stringify({ name, ok: time <= most }));
  }
