/** Read-only documents for texts that the server computes: traces, and the sides of a diff. */

import * as vscode from "vscode";
import type { ShownText } from "./protocol";

/** URI scheme of the documents. */
export const SCHEME = "mutproof";

/** Shows texts, and keeps each for as long as its document is open. */
export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly contents = new Map<string, string>();
  private readonly registrations: vscode.Disposable[];
  private next = 0;

  constructor() {
    this.registrations = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.contents.delete(document.uri.toString());
      }),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.contents.get(uri.toString());
  }

  /**
   * Show one text, or two as a diff in the language of `languageId`, beside the model: the model
   * stays in view, also if its own tab is a preview that the next document would replace.
   */
  async show(shown: ShownText, languageId: string | undefined): Promise<void> {
    const options = { preview: true, viewColumn: vscode.ViewColumn.Beside };
    if (shown.kind === "diff") {
      const { uri: left } = await this.open("model", shown.left, languageId);
      const { uri: right } = await this.open("mutant", shown.right, languageId);
      await vscode.commands.executeCommand("vscode.diff", left, right, shown.title, options);
    } else {
      const document = await this.open(shown.title, shown.text, undefined);
      await vscode.window.showTextDocument(document, options);
    }
  }

  dispose(): void {
    for (const registration of this.registrations) {
      registration.dispose();
    }
    this.contents.clear();
  }

  private async open(
    name: string,
    text: string,
    languageId: string | undefined,
  ): Promise<vscode.TextDocument> {
    this.next += 1;
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${this.next}/${name.replaceAll("/", "∕")}`,
    });
    this.contents.set(uri.toString(), text);
    const document = await vscode.workspace.openTextDocument(uri);
    return languageId === undefined
      ? document
      : vscode.languages.setTextDocumentLanguage(document, languageId);
  }
}
