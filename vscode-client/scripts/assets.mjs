// Copies what the package shares with the rest of the repository: grammars and licence.
import { copyFile, mkdir } from "node:fs/promises";

const client = new URL("../", import.meta.url);
const repository = new URL("../", client);

await mkdir(new URL("syntaxes/", client), { recursive: true });
for (const grammar of ["lustre.tmLanguage.json", "nusmv.tmLanguage.json"]) {
  await copyFile(new URL(`grammars/${grammar}`, repository), new URL(`syntaxes/${grammar}`, client));
}
await copyFile(new URL("LICENSE", repository), new URL("LICENSE", client));
