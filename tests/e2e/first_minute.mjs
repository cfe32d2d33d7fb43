// The first minute of a new user of VS Code: no server, then no network, then one click.
// Arguments: scenario file, address of VS Code, folder with node_modules, browser, folder for
// pictures, picture of the last state, folder of Python packages, port where pip looks for them.
// Prints one JSON object for each check.

import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import * as path from "node:path";
import { check, servers, start } from "./workbench.mjs";

const [scenarioFile, address, nodeFolder, browserPath, , lastPicture, packages, port] =
  process.argv.slice(2);
const scenario = JSON.parse(readFileSync(scenarioFile, "utf8"));
const WAYS_OUT = ["Install", "Configure Path", "Show Output"];

const { window, close } = await start({
  address,
  file: scenario.file,
  nodeFolder,
  browserPath,
  lastPicture,
  timeoutS: scenario.timeout_s,
});
const { page, checkUntil, texts, statusText, warningCount, command } = window;

/** An index of Python packages, as pip reads it: a page of links for each of them. */
function openIndex() {
  const index = createServer((request, response) => {
    const [, name, file] = request.url.split("/");
    if (file) {
      createReadStream(path.join(packages, name, file)).pipe(response);
      return;
    }
    const known = readdirSync(packages).includes(name) ? readdirSync(path.join(packages, name)) : [];
    response.writeHead(known.length > 0 ? 200 : 404, { "Content-Type": "text/html" });
    response.end(known.map((one) => `<a href="${one}">${one}</a>`).join("\n"));
  });
  return new Promise((resolve) => index.listen(Number(port), "127.0.0.1", () => resolve(index)));
}

/** A message of the extension. */
const message = (text) => page.locator(".notification-list-item", { hasText: text });
const buttons = (text) => message(text).locator(".monaco-button").allTextContents();

/** Check that a message is there with its ways out, and take one. */
async function answer(text, wanted, choice) {
  const offered = await checkUntil(
    `“${text}” offers ${wanted.join(", ")}`,
    () => buttons(text),
    (shown) => wanted.every((one) => shown.includes(one)),
  );
  await message(text).getByRole("button", { name: choice, exact: true }).click();
  return offered;
}

/** Check that the output is shown; this build of VS Code writes no logs, so nothing stands there. */
async function outputIsShown() {
  await checkUntil(
    "the output of the extension is shown",
    () => page.locator(".part.panel select option:checked").allTextContents(),
    (shown) => shown.includes("mutproof"),
  );
}

const installing = () => message("Installing the mutproof server");

try {
  await checkUntil("without a server the status says that it failed", statusText, (text) =>
    text.includes("failed"),
  );
  const needed = "mutproof needs its server";
  await answer(needed, WAYS_OUT, "Show Output");
  await outputIsShown();
  await page.locator('[id="mutproof.mutproof.mutproof"]').click();
  await checkUntil(
    "the menu of the status has the ways out",
    () => texts(".quick-input-list .monaco-list-row"),
    (rows) =>
      ["Install server", "Configure path", "Show output"].every((one) =>
        rows.some((row) => row.includes(one)),
      ),
  );
  await page.keyboard.press("Escape");
  await command("Focus on Mutants View");
  await checkUntil(
    "the view of mutants has the ways out",
    () => texts(".welcome-view-content .monaco-button"),
    (shown) => ["Install Server", ...WAYS_OUT.slice(1)].every((one) => shown.includes(one)),
  );

  // Nobody answers where pip looks.
  await answer(needed, WAYS_OUT, "Install");
  await installing().waitFor({ timeout: scenario.timeout_s * 1000 });
  check("the installation shows progress that can be cancelled", true);
  const refused = "`pip install` failed; what the server depends on comes from an index";
  const again = ["Install Again", "Configure Path", "Show Output"];
  await answer(refused, again, "Show Output");
  await outputIsShown();

  const index = await openIndex();
  await answer(refused, again, "Install Again");
  await checkUntil(
    "the progress of the installation names its step",
    () => installing().allTextContents(),
    (shown) => shown.some((text) => /creating an environment…|installing what/.test(text)),
  );
  await checkUntil("one click installs the server, and verdicts appear", statusText, (text) =>
    /\d+ killed · \d+ survived/.test(text),
  );
  index.close();
  const [running = "", ...others] = servers("command");
  check(
    "what runs is the environment of the extension, once",
    running.includes("globalStorage") && others.length === 0,
    [running, ...others],
  );
  await checkUntil("gaps are warnings", warningCount, (count) => count > 0);
  await checkUntil(
    "survivors are underlined",
    () => page.locator(".squiggly-warning").count(),
    (count) => count > 0,
  );
  await checkUntil(
    "the view of mutants lists them",
    () => texts(".sidebar .monaco-list-row"),
    (rows) => rows.some((row) => row.includes("killed")),
  );
  await close();
} catch (error) {
  await close(error);
}
