/** Going to a place in a file, in an editor that shows it already if there is one. */

import * as vscode from "vscode";
import type { Range } from "../protocol";

/** Select a range of a file and scroll it into view. */
export async function reveal(uri: string, { start, end }: Range): Promise<void> {
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  const shown = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === vscode.Uri.parse(uri).toString(),
  );
  const viewColumn = shown?.viewColumn ?? vscode.ViewColumn.One;
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection, viewColumn });
}
