/** The trace panel: an execution step by step, with its values in the model's own text. */

import * as vscode from "vscode";
import type { Subject } from "../protocol";
import {
  type Execution,
  parseExecution,
  TRACE_FILE_METHOD,
  TRACE_FORMATS,
  TRACE_METHOD,
} from "./execution";
import { InlineValues } from "./inlineValues";
import { type Deed, Panel } from "./panel";
import { reveal } from "./reveal";
import { lineValues, traceHtml } from "./trace";

/** Sends a request about a file to the server; returns its unchecked answer. */
export type Ask = (method: string, uri: string, fields: object) => Promise<unknown>;

/** Shows one execution at a time. */
export class TracePanel implements vscode.Disposable {
  private readonly panel: Panel;
  private readonly values = new InlineValues();
  private readonly listener: vscode.Disposable;
  private current: { subject: Subject; execution: Execution } | undefined;

  constructor(
    extension: string,
    private readonly ask: Ask,
  ) {
    this.panel = new Panel({
      type: "mutproof.trace",
      extension,
      done: (deed) => void this.act(deed),
      closed: () => {
        this.current = undefined;
        this.values.clear();
      },
    });
    this.listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && document.uri.toString() === this.current?.subject.uri) {
        this.panel.outdated();
      }
    });
  }

  /** Show the execution of a subject; return whether the server knows one. */
  async show(subject: Subject): Promise<boolean> {
    const { uri, ...fields } = subject;
    const execution = parseExecution(await this.ask(TRACE_METHOD, uri, fields));
    if (execution === undefined) {
      return false;
    }
    this.current = { subject: { ...subject, uri: vscode.Uri.parse(uri).toString() }, execution };
    this.panel.show(execution.title, traceHtml(execution));
    this.step(execution.step);
    return true;
  }

  dispose(): void {
    this.listener.dispose();
    this.panel.dispose();
    this.values.dispose();
  }

  private async act(deed: Deed): Promise<void> {
    if (this.current === undefined) {
      return;
    }
    const { subject, execution } = this.current;
    if (deed.kind === "step") {
      this.step(deed.step);
    } else if (deed.kind === "reveal") {
      const range = execution.variables[deed.index]?.range;
      if (range !== undefined) {
        await reveal(subject.uri, range);
      }
    } else {
      await this.save(deed.format);
    }
  }

  private step(step: number): void {
    if (this.current !== undefined) {
      const { subject, execution } = this.current;
      this.values.show(subject.uri, lineValues(execution, step));
    }
  }

  private async save(wanted: string): Promise<void> {
    const format = TRACE_FORMATS.find((known) => known === wanted);
    if (this.current === undefined || format === undefined) {
      return;
    }
    const { uri, ...fields } = this.current.subject;
    const file = (await this.ask(TRACE_FILE_METHOD, uri, { ...fields, format })) as
      | { text?: unknown }
      | null
      | undefined;
    if (typeof file?.text !== "string") {
      await vscode.window.showInformationMessage("mutproof: this execution is no longer known.");
      return;
    }
    const target = await vscode.window.showSaveDialog({
      title: "Save Execution",
      defaultUri: vscode.Uri.parse(uri).with({ path: `${vscode.Uri.parse(uri).path}.${format}` }),
      filters: { [format.toUpperCase()]: [format] },
    });
    if (target !== undefined) {
      await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(file.text));
    }
  }
}
