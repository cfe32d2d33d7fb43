// Copies what the package shares with the rest of the repository: grammars, licence, changelog; builds
// the wheel of the server, which the extension carries. PYTHON is an interpreter with hatchling.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const client = new URL("../", import.meta.url);
const repository = new URL("../", client);

await mkdir(new URL("syntaxes/", client), { recursive: true });
for (const grammar of ["lustre.tmLanguage.json", "nusmv.tmLanguage.json"]) {
  await copyFile(new URL(`grammars/${grammar}`, repository), new URL(`syntaxes/${grammar}`, client));
}
await copyFile(new URL("LICENSE", repository), new URL("LICENSE", client));
await copyFile(new URL("CHANGELOG.md", repository), new URL("CHANGELOG.md", client));

const server = new URL("server/", client);
await rm(server, { recursive: true, force: true });
const own = fileURLToPath(new URL(".venv/bin/python", repository));
const python = process.env.PYTHON ?? (existsSync(own) ? own : "python3");
execFileSync(python, ["-m", "hatchling", "build", "-t", "wheel", "-d", fileURLToPath(server)], {
  cwd: fileURLToPath(repository),
  stdio: ["ignore", "ignore", "inherit"],
});
