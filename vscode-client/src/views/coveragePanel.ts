/** The coverage panel: properties and elements of the active model. */

import * as vscode from "vscode";
import { coverageHtml, places, type RunScores, withRun } from "./coverage";
import type { Findings } from "./findings";
import { Panel } from "./panel";
import { reveal } from "./reveal";

const HISTORY = "mutproof.history";

/** Shows the model in the active editor, or else the last such model. */
export class CoveragePanel implements vscode.Disposable {
  private readonly panel: Panel;
  private readonly listeners: readonly vscode.Disposable[];
  private uri: string | undefined;
  private line: number | undefined;

  constructor(
    extension: string,
    private readonly selector: vscode.DocumentSelector,
    private readonly findings: Findings,
    private readonly memory: Pick<vscode.Memento, "get" | "update">,
  ) {
    this.panel = new Panel({
      type: "mutproof.coverage",
      extension,
      done: (deed) => {
        if (deed.kind === "reveal") {
          void this.goTo(deed.index);
        }
      },
      closed: () => undefined,
    });
    this.listeners = [
      findings.onDidChange((uri) => uri === this.uri && this.renew()),
      findings.onDidEnd((uri) => void this.remember(uri)),
      vscode.window.onDidChangeActiveTextEditor(() => this.turn()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        const line = selections[0]?.active.line;
        if (textEditor.document.uri.toString() === this.uri && line !== this.line) {
          this.line = line;
          this.renew();
        }
      }),
    ];
    this.turn();
  }

  /** Bring the panel into view. */
  show(): void {
    this.turn();
    const [title, content] = this.content();
    this.panel.show(title, content);
  }

  dispose(): void {
    for (const listener of this.listeners) {
      listener.dispose();
    }
    this.panel.dispose();
  }

  private turn(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined && vscode.languages.match(this.selector, editor.document) > 0) {
      this.uri = editor.document.uri.toString();
      this.line = editor.selection.active.line;
      this.renew();
    }
  }

  private renew(): void {
    if (this.panel.isOpen) {
      this.panel.update(this.content()[1]);
    }
  }

  private content(): [string, ReturnType<typeof coverageHtml>] {
    const { uri } = this;
    const overview = uri === undefined ? undefined : this.findings.overview(uri);
    const name = uri === undefined ? "" : vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
    const title = `Coverage of ${name || "nothing"}`;
    const nothing = { phase: "", edited: false, properties: [], components: [] };
    const history = uri === undefined ? [] : this.history(uri);
    return [title, coverageHtml(title, overview ?? nothing, history, this.line)];
  }

  private history(uri: string): readonly RunScores[] {
    return this.memory.get<Record<string, readonly RunScores[]>>(HISTORY, {})[uri] ?? [];
  }

  private async remember(uri: string): Promise<void> {
    const overview = this.findings.overview(uri);
    if (overview?.phase !== "done") {
      return;
    }
    const before = this.history(uri);
    const now = withRun(before, overview, Date.now());
    if (now !== before) {
      const all = this.memory.get<Record<string, readonly RunScores[]>>(HISTORY, {});
      await this.memory.update(HISTORY, { ...all, [uri]: now });
      this.renew();
    }
  }

  private async goTo(index: number): Promise<void> {
    const overview = this.uri === undefined ? undefined : this.findings.overview(this.uri);
    const range = overview && places(overview)[index];
    if (this.uri !== undefined && range !== undefined) {
      await reveal(this.uri, range);
    }
  }
}
