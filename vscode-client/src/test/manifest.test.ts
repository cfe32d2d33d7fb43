import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { type CommandParts, handlers } from "../commands";

const CLIENT = path.join(__dirname, "..", "..");

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly languages: readonly {
      readonly id: string;
      readonly extensions: readonly string[];
      readonly configuration: string;
    }[];
    readonly snippets: readonly { readonly language: string; readonly path: string }[];
    readonly grammars: readonly {
      readonly language: string;
      readonly scopeName: string;
      readonly path: string;
    }[];
    readonly configuration: { readonly properties: Readonly<Record<string, object>> };
    readonly walkthroughs: readonly {
      readonly steps: readonly { readonly media: { readonly markdown: string } }[];
    }[];
  };
}

const MANIFEST = JSON.parse(readFileSync(path.join(CLIENT, "package.json"), "utf8")) as Manifest;

test("every contributed command has a handler", () => {
  const known = handlers({} as CommandParts);
  const missing = MANIFEST.contributes.commands.filter(({ command }) => !known.has(command));
  assert.deepEqual(missing, []);
});

test("every language has a configuration file and activates the extension", () => {
  for (const { id, configuration } of MANIFEST.contributes.languages) {
    JSON.parse(readFileSync(path.join(CLIENT, configuration), "utf8"));
    assert.ok(MANIFEST.activationEvents.includes(`onLanguage:${id}`));
  }
});

test("Lustre and NuSMV files are known by their suffixes, and each has a grammar and snippets", () => {
  const { languages, grammars, snippets } = MANIFEST.contributes;
  assert.deepEqual(Object.fromEntries(languages.map(({ id, extensions }) => [id, extensions])), {
    lustre: [".lus", ".lustre"],
    nuxmv: [".smv", ".nuxmv", ".xmv"],
  });
  const ids = languages.map(({ id }) => id);
  assert.deepEqual(grammars.map(({ language }) => language), ids);
  assert.deepEqual(snippets.map(({ language }) => language), ids);
});

test("every snippet has a prefix, a text and a description", () => {
  for (const { path: file } of MANIFEST.contributes.snippets) {
    const snippets = JSON.parse(readFileSync(path.join(CLIENT, file), "utf8")) as Readonly<
      Record<string, { prefix?: string; body?: readonly string[]; description?: string }>
    >;
    for (const [name, { prefix, body, description }] of Object.entries(snippets)) {
      assert.ok(prefix && body?.length && description, name);
      assert.ok(/\$\{?\d/.test(body.join("\n")), name);
    }
  }
});

test("the grammars are those of the repository", () => {
  for (const grammar of MANIFEST.contributes.grammars) {
    const file = path.join(CLIENT, "..", "grammars", path.basename(grammar.path));
    const { scopeName } = JSON.parse(readFileSync(file, "utf8")) as { scopeName: string };
    assert.equal(grammar.scopeName, scopeName);
  }
});

test("the pages of the walkthrough exist", () => {
  const pages = MANIFEST.contributes.walkthroughs.flatMap(({ steps }) => steps);
  for (const { media } of pages) {
    assert.ok(existsSync(path.join(CLIENT, media.markdown)), media.markdown);
  }
});

test("settings that choose a program are restricted in untrusted workspaces", () => {
  const names = Object.keys(MANIFEST.contributes.configuration.properties);
  assert.deepEqual(
    MANIFEST.capabilities.untrustedWorkspaces.restrictedConfigurations,
    names.filter((name) => name.startsWith("mutproof.server.")),
  );
});
