/**
 * Texts of the status bar and the language status. They are a pure function of the states of the
 * server and documents, which {@link Status} holds.
 */

import * as vscode from "vscode";
import type { DocumentStatus, Statistics } from "./protocol";

/** Context key with which views show what to do if the server does not run. */
const FAILED_KEY = "mutproof.server.failed";

/** State of the server process. */
export type ServerState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string }
  | { readonly kind: "restarting"; readonly afterMilliseconds: number }
  | { readonly kind: "failed"; readonly reason: string };

/** The texts for both places of the status. */
export interface Wording {
  readonly icon: string;
  readonly text: string;
  readonly detail: string;
  readonly severity: "information" | "warning" | "error";
  readonly busy: boolean;
}

/** What is known about one document. */
export interface DocumentKnowledge {
  readonly status?: DocumentStatus | undefined;
  readonly statistics?: Statistics | undefined;
  /** Version of the text in the editor. */
  readonly version?: number | undefined;
}

/** Return the texts about the server and, if it is running, the active document. */
export function wording(server: ServerState, document: DocumentKnowledge): Wording {
  switch (server.kind) {
    case "stopped":
      return { ...QUIET, icon: "circle-slash", text: "stopped", severity: "warning" };
    case "starting":
      return { ...QUIET, icon: "sync~spin", text: "starting", busy: true };
    case "restarting":
      return {
        icon: "sync~spin",
        text: "restarting",
        detail: `The server ended unexpectedly; next start in ${server.afterMilliseconds / 1000} s.`,
        severity: "warning",
        busy: true,
      };
    case "failed":
      return { ...QUIET, icon: "error", text: "failed", detail: server.reason, severity: "error" };
    case "running":
      return documentWording(document, server.version);
  }
}

/** Return the counts of a run as shown to users. */
export function counts(statistics: Statistics): string {
  const parts = [`${statistics.killed} killed`, `${statistics.survived} survived`];
  if (statistics.equivalent > 0) {
    parts[1] += ` (${statistics.equivalent} equivalent)`;
  }
  if (statistics.unknown > 0) {
    parts.push(`${statistics.unknown} unknown`);
  }
  if (statistics.stillborn > 0) {
    parts.push(`${statistics.stillborn} stillborn`);
  }
  return parts.join(" · ");
}

/** Holds and shows what the server sent last. */
export class Status implements vscode.Disposable {
  private state: ServerState = { kind: "stopped" };
  private readonly documents = new Map<string, DocumentStatus>();
  private readonly statistics = new Map<string, Statistics>();
  private readonly cancelled = new Set<string>();
  private readonly bar: vscode.StatusBarItem;
  private readonly language: vscode.LanguageStatusItem;
  private readonly listeners: readonly vscode.Disposable[];

  constructor(
    private readonly selector: vscode.DocumentSelector,
    menuCommand: string,
  ) {
    this.bar = vscode.window.createStatusBarItem("mutproof", vscode.StatusBarAlignment.Left, -1);
    this.bar.name = "mutproof";
    this.bar.command = menuCommand;
    this.language = vscode.languages.createLanguageStatusItem("mutproof", selector);
    this.language.name = "mutproof";
    this.language.command = { title: "Commands", command: menuCommand };
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor(() => this.show()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) {
          this.show();
        }
      }),
    ];
    this.show();
  }

  /** State of the server process that was set last. */
  get serverState(): ServerState {
    return this.state;
  }

  /** Documents whose last run was cancelled; a restarted server does not analyse them. */
  get cancelledDocuments(): readonly string[] {
    return [...this.cancelled];
  }

  /** Set the state of the server; drop what an earlier process sent about documents. */
  setServer(state: ServerState): void {
    this.state = state;
    if (state.kind !== "running") {
      this.documents.clear();
      this.statistics.clear();
    }
    void vscode.commands.executeCommand("setContext", FAILED_KEY, state.kind === "failed");
    this.show();
  }

  /** Set the status of a document. */
  setDocument(status: DocumentStatus): void {
    this.documents.set(status.uri, status);
    if (status.state === "cancelled") {
      this.cancelled.add(status.uri);
    } else {
      this.cancelled.delete(status.uri);
    }
    this.show();
  }

  /** Set the counts of a finished run. */
  setStatistics(statistics: Statistics): void {
    this.statistics.set(statistics.uri, statistics);
    this.show();
  }

  /** Forget a closed document. */
  forget(uri: string): void {
    this.documents.delete(uri);
    this.statistics.delete(uri);
    this.cancelled.delete(uri);
    this.show();
  }

  dispose(): void {
    for (const listener of this.listeners) {
      listener.dispose();
    }
    this.bar.dispose();
    this.language.dispose();
  }

  private show(): void {
    const document = vscode.window.activeTextEditor?.document;
    const ours = document !== undefined && vscode.languages.match(this.selector, document) > 0;
    const uri = document?.uri.toString() ?? "";
    const said = wording(this.state, {
      status: this.documents.get(uri),
      statistics: this.statistics.get(uri),
      version: document?.version,
    });
    this.language.text = `mutproof: ${said.text}`;
    this.language.detail = said.detail;
    this.language.busy = said.busy;
    this.language.severity = SEVERITIES[said.severity];
    this.bar.text = `$(${said.icon}) mutproof: ${said.text}`;
    this.bar.tooltip = said.detail;
    this.bar.backgroundColor = background(said.severity);
    // After a failure, users need the menu also while no model is active, as in the output.
    if (ours || this.state.kind === "failed") {
      this.bar.show();
    } else {
      this.bar.hide();
    }
  }
}

const QUIET = { detail: "", severity: "information", busy: false } as const;

const SEVERITIES = {
  information: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};

function documentWording(known: DocumentKnowledge, serverVersion: string): Wording {
  const { status, statistics } = known;
  const detail = status?.message ?? `mutproof ${serverVersion}`;
  const state = status?.state ?? "idle";
  switch (state) {
    case "idle":
      return { ...QUIET, icon: "beaker", text: "ready", detail };
    case "parsing":
    case "queued":
    case "proving":
    case "mutating":
      return { ...QUIET, icon: "sync~spin", text: state + progress(status), detail, busy: true };
    case "done":
      return {
        ...QUIET,
        icon: "beaker",
        text: statistics === undefined ? "done" : counts(statistics) + staleness(known),
        detail: statistics === undefined ? detail : cost(statistics),
      };
    case "cancelled":
      return { ...QUIET, icon: "circle-slash", text: "cancelled", detail };
    case "failed":
      return { ...QUIET, icon: "error", text: failure(status), detail, severity: "error" };
  }
}

/** Return `run failed` with what precedes the first colon of the message, such as `out of memory`. */
function failure(status: DocumentStatus | undefined): string {
  const [reason = ""] = (status?.message ?? "").split(":");
  return reason === "" ? "run failed" : `run failed: ${reason}`;
}

function progress(status: DocumentStatus | undefined): string {
  return status?.total === undefined ? "" : ` ${status.done ?? 0}/${status.total}`;
}

/** Return counts, marked if they are of an older text. */
function staleness({ statistics, version }: DocumentKnowledge): string {
  const counted = statistics?.version ?? undefined;
  return counted === undefined || version === undefined || counted === version
    ? ""
    : " (before edits)";
}

function cost(statistics: Statistics): string {
  return (
    `${statistics.verdicts} verdicts in ${statistics.seconds.toFixed(1)} s: ` +
    `${statistics.kept} kept, ${statistics.replayed} replayed, ` +
    `${statistics.reproved} re-proved; ${statistics.solverCalls} solver calls`
  );
}

function background(severity: Wording["severity"]): vscode.ThemeColor | undefined {
  return severity === "information"
    ? undefined
    : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
}
