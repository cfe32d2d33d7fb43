/** Which documents the server is asked about: those of the languages in the manifest. */

/** A language as `contributes.languages` of `package.json` declares it. */
export interface Language {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly extensions: readonly string[];
}

/** What selects documents. */
export interface DocumentFilter {
  readonly scheme: string;
  readonly language?: string;
  readonly pattern?: string;
}

/** The languages of an extension's `package.json`. */
export function languages(manifest: unknown): readonly Language[] {
  return (manifest as { contributes: { languages: readonly Language[] } }).contributes.languages;
}

/** Documents of some languages: by language id, and files by suffix, whoever claims their id. */
export function documents(found: readonly Language[]): DocumentFilter[] {
  return [
    ...found.map(({ id }) => ({ scheme: "file", language: id })),
    ...found.map(({ extensions }) => {
      const suffixes = extensions.map((extension) => extension.slice(1));
      return { scheme: "file", pattern: `**/*.{${suffixes.join(",")}}` };
    }),
    ...found.map(({ id }) => ({ scheme: "untitled", language: id })),
  ];
}

/** The names of some languages for people: `Lustre or NuSMV`. */
export function titles(found: readonly Language[]): string {
  return found.map(({ id, aliases }) => aliases[0] ?? id).join(" or ");
}
