// Two windows of VS Code on one folder: each has a server of its own, and both tell the same.

import { writeFileSync } from "node:fs";
import * as path from "node:path";
import { check, servers } from "./workbench.mjs";

/** A model of which no proof ends within the time of this script: Fermat's theorem. */
const ENDLESS = `\
node endless (a, b, c : int) returns (ok3, ok4, ok5 : bool);
var x, y, z : int;
let
  x = 1 -> pre x + (if a > 0 then a else 1);
  y = 1 -> pre y + (if b > 0 then b else 1);
  z = 1 -> pre z + (if c > 0 then c else 1);
  ok3 = x * x * x + y * y * y <> z * z * z;
  ok4 = x * x * x * x + y * y * y * y <> z * z * z * z;
  ok5 = x * x * x * x * x + y * y * y * y * y <> z * z * z * z * z;
  --%PROPERTY ok3;
  --%PROPERTY ok4;
  --%PROPERTY ok5;
tel;
`;

/** Open the same model in a second window; what the first one saves is told there too. */
export async function lookAtSecondWindow({ open, scenario, countsText }, save) {
  const [first] = servers();
  const second = await open(scenario.file);
  await second.checkUntil("a second window shows the same counts", second.statusText, (text) =>
    text.includes(countsText(scenario.after)),
  );
  check("each window has a server of its own", servers().length === 2, servers("command"));
  await save();
  await second.checkUntil(
    "what one window saves is told in the other",
    second.statusText,
    (text) => text.includes(countsText(scenario.before)),
  );
  await lookAtCancelled(second, path.dirname(scenario.file), first);
  await second.page.close();
  check("a window that is closed takes no other's server along", servers().includes(first), servers());
}

/** Cancel a run that does not end; it stays cancelled when the server is killed, until it is asked for. */
async function lookAtCancelled(window, folder, other) {
  const { page, checkUntil, command, statusText, texts } = window;
  const busy = (text) => /proving|mutating/.test(text);
  writeFileSync(path.join(folder, "endless.lus"), ENDLESS);
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "endless.lus" }).dblclick();
  await page.locator(".tab.active", { hasText: "endless.lus" }).waitFor();
  await checkUntil("a long run is shown as running", statusText, busy);

  await command("mutproof: Cancel Running Proofs");
  await checkUntil("cancelling ends it", statusText, (text) => text.includes("cancelled"));
  const killed = servers().filter((pid) => pid !== other);
  for (const pid of killed) {
    process.kill(Number(pid), "SIGKILL");
  }
  await checkUntil(
    "its server is started again",
    async () => servers().filter((pid) => pid !== other),
    (pids) => pids.length === 1 && !killed.includes(pids[0]),
  );
  // The server has read the file when it names what is in it.
  await page.locator(".monaco-editor .view-line").first().click();
  await page.keyboard.press("Control+Shift+o");
  await checkUntil(
    "the new server knows the file",
    () => texts(".quick-input-list .monaco-list-row"),
    (rows) => rows.some((row) => row.includes("endless")),
  );
  await page.keyboard.press("Escape");
  await checkUntil("a cancelled file stays cancelled", statusText, (text) =>
    text.includes("cancelled"),
  );
  await command("mutproof: Prove and Mutate This File");
  await checkUntil("it is proved when it is asked for", statusText, busy);
  await command("mutproof: Cancel Running Proofs");
  await checkUntil("it is cancelled again", statusText, (text) => text.includes("cancelled"));
}
