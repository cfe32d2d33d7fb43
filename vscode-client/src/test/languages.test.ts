import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { documents, languages, titles } from "../languages";

const MANIFEST: unknown = JSON.parse(
  readFileSync(path.join(__dirname, "..", "..", "package.json"), "utf8"),
);
const TOY = { id: "toy", aliases: ["Toy"], extensions: [".toy", ".ty"] };

test("the documents of the server are those of the languages in the manifest", () => {
  assert.deepEqual(
    [
      { scheme: "file", language: "lustre" },
      { scheme: "file", language: "nuxmv" },
      { scheme: "file", pattern: "**/*.{lus,lustre}" },
      { scheme: "file", pattern: "**/*.{smv,nuxmv,xmv}" },
      { scheme: "untitled", language: "lustre" },
      { scheme: "untitled", language: "nuxmv" },
    ],
    documents(languages(MANIFEST)),
  );
});

test("a language is added by an entry of the manifest", () => {
  const found = languages({ contributes: { languages: [TOY] } });

  assert.deepEqual(
    [
      { scheme: "file", language: "toy" },
      { scheme: "file", pattern: "**/*.{toy,ty}" },
      { scheme: "untitled", language: "toy" },
    ],
    documents(found),
  );
});

test("people read the names of the languages", () => {
  assert.equal("Lustre or NuSMV", titles(languages(MANIFEST)));
  assert.equal("toy", titles([{ ...TOY, aliases: [] }]));
});
