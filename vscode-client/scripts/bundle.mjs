// Bundles the extension and the language client into one file that VS Code loads fast, and what
// runs in the pages of panels into another one.
import { build } from "esbuild";

const shared = { bundle: true, minify: true, legalComments: "linked" };

await build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
});
await build({
  ...shared,
  entryPoints: ["src/webview/panel.ts", "media/panel.css"],
  outdir: "dist",
  entryNames: "[name]",
  platform: "browser",
  target: "es2022",
  format: "iife",
});
