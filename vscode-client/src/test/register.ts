/** Loaded before the tests: lets `require("vscode")` find the stand-in. */

import Module from "node:module";
import * as path from "node:path";

type Resolve = (request: string, ...rest: unknown[]) => string;

const loader = Module as unknown as { _resolveFilename: Resolve };
const resolve = loader._resolveFilename;
loader._resolveFilename = (request, ...rest) =>
  request === "vscode" ? path.join(__dirname, "vscode.js") : resolve(request, ...rest);
