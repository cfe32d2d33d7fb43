/** Values of one step of an execution, shown after the lines of the model. */

import * as vscode from "vscode";
import type { LineValues } from "./trace";

const MOST_CHARACTERS = 120;

/** Shows values after lines until the text changes or they are removed. */
export class InlineValues implements vscode.Disposable {
  private readonly same = decoration("editorCodeLens.foreground");
  private readonly different = decoration("editorWarning.foreground");
  private shown: { uri: string; lines: readonly LineValues[] } | undefined;
  private readonly listeners = [
    vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && document.uri.toString() === this.shown?.uri) {
        this.clear();
      }
    }),
  ];

  /** Show values in the editors of a file. */
  show(uri: string, lines: readonly LineValues[]): void {
    this.shown = { uri, lines };
    this.draw();
  }

  /** Remove all values. */
  clear(): void {
    this.shown = undefined;
    this.draw();
  }

  dispose(): void {
    for (const disposable of [...this.listeners, this.same, this.different]) {
      disposable.dispose();
    }
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const lines = editor.document.uri.toString() === this.shown?.uri ? this.shown.lines : [];
      const options = (differs: boolean) =>
        lines
          .filter((values) => values.differs === differs && values.line < editor.document.lineCount)
          .map(({ line, text }) => after(editor.document.lineAt(line).range.end, text));
      editor.setDecorations(this.same, options(false));
      editor.setDecorations(this.different, options(true));
    }
  }
}

function after(end: vscode.Position, text: string): vscode.DecorationOptions {
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return {
    range: new vscode.Range(end, end),
    renderOptions: { after: { contentText: `  ${short}` } },
  };
}

function decoration(color: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor(color), fontStyle: "italic", margin: "0 0 0 2em" },
  });
}
