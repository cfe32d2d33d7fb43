/** HTML of the panels: written with {@link html}, which escapes all texts. */

/** A piece of HTML that needs no more escaping. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Html[];

/** Return HTML with values put into it; texts are escaped, also for use in attributes. */
export function html(pieces: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(
    pieces.map((piece, index) => piece + (index < values.length ? written(values[index]) : "")).join(""),
  );
}

/** Return attributes of a tag; false leaves one out, true gives it no value. */
export function attributes(values: Readonly<Record<string, string | number | boolean>>): Html {
  return new Html(
    Object.entries(values)
      .filter(([, value]) => value !== false)
      .map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escaped(String(value))}"`))
      .join(""),
  );
}

/** The parts of a panel's page. */
export interface PageParts {
  readonly title: string;
  readonly nonce: string;
  readonly style: string;
  readonly script: string;
}

/**
 * Return the page of a panel. Its policy allows only the style and the script with the nonce;
 * the content comes later, by a message.
 */
export function page({ title, nonce, style, script }: PageParts): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<style nonce="${nonce}">${new Html(style)}</style>
</head>
<body>
<main id="content" aria-busy="true"></main>
<script nonce="${nonce}">${new Html(script)}</script>
</body>
</html>`.text;
}

function written(value: Part | undefined): string {
  if (value instanceof Html) {
    return value.text;
  }
  if (Array.isArray(value)) {
    return value.map(({ text }: Html) => text).join("");
  }
  return escaped(String(value));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
