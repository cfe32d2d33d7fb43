/** The documents that the server is asked about: those of the languages in the manifest. */

/** A language as `contributes.languages` of `package.json` declares it. */
export interface Language {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly extensions: readonly string[];
}

/** A filter that selects documents. */
export interface DocumentFilter {
  readonly scheme: string;
  readonly language?: string;
  readonly pattern?: string;
}

/** Return the languages of an extension's `package.json`. */
export function languages(manifest: unknown): readonly Language[] {
  return (manifest as { contributes: { languages: readonly Language[] } }).contributes.languages;
}

/** Return filters for languages: by language id, and files by suffix, whatever their id. */
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

/** Return the names of languages as shown to users: `Lustre or NuSMV`. */
export function titles(found: readonly Language[]): string {
  return found.map(({ id, aliases }) => aliases[0] ?? id).join(" or ");
}
