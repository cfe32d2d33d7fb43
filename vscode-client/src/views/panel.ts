/** A webview beside the editor: a page that loads nothing and gets its content by messages. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { type Html, page } from "./html";

/** An action of the user in a panel; messages of other forms are dropped. */
export type Deed =
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "reveal"; readonly index: number }
  | { readonly kind: "export"; readonly format: string };

/** What is needed to create a panel. */
export interface PanelParts {
  /** VS Code's name for this kind of panel. */
  readonly type: string;
  /** Folder of the extension. */
  readonly extension: string;
  readonly done: (deed: Deed) => void;
  readonly closed: () => void;
}

/** One panel, created when there is something to show. */
export class Panel implements vscode.Disposable {
  private shown: vscode.WebviewPanel | undefined;
  private content: Html | undefined;
  private ready = false;

  constructor(private readonly parts: PanelParts) {}

  /** Whether the panel is open. */
  get isOpen(): boolean {
    return this.shown !== undefined;
  }

  /** Whether the panel is visible. */
  get isVisible(): boolean {
    return this.shown?.visible === true;
  }

  /** Show content under a title, and bring the panel into view. */
  show(title: string, content: Html): void {
    const panel = (this.shown ??= this.open(title));
    panel.title = title;
    this.content = content;
    panel.reveal(undefined, false);
    this.send({ kind: "content", html: content.text });
  }

  /** Replace the content without bringing the panel into view. */
  update(content: Html): void {
    this.content = content;
    this.send({ kind: "content", html: content.text, keep: true });
  }

  /** Mark the content as out of date. */
  outdated(): void {
    this.send({ kind: "stale" });
  }

  dispose(): void {
    this.shown?.dispose();
  }

  private send(message: unknown): void {
    if (this.ready) {
      void this.shown?.webview.postMessage(message);
    }
  }

  private open(title: string): vscode.WebviewPanel {
    const { type, extension, done, closed } = this.parts;
    const panel = vscode.window.createWebviewPanel(
      type,
      title,
      { viewColumn: vscode.ViewColumn.Beside },
      { enableScripts: true, localResourceRoots: [] },
    );
    const read = (file: string): string => readFileSync(path.join(extension, "dist", file), "utf8");
    this.ready = false;
    panel.webview.onDidReceiveMessage((message: unknown) => {
      if (isReady(message)) {
        this.ready = true;
        if (this.content !== undefined) {
          this.send({ kind: "content", html: this.content.text });
        }
        return;
      }
      const deed = parseDeed(message);
      if (deed !== undefined) {
        done(deed);
      }
    });
    panel.onDidChangeViewState(() => {
      this.ready &&= panel.visible; // VS Code discards hidden pages
    });
    panel.onDidDispose(() => {
      this.shown = undefined;
      closed();
    });
    panel.webview.html = page({
      title,
      nonce: randomBytes(16).toString("base64url"),
      style: read("panel.css"),
      script: read("panel.js"),
    });
    return panel;
  }
}

/** Return the user's action in a message from a page; undefined if there is none. */
export function parseDeed(message: unknown): Deed | undefined {
  const { kind, step, index, format } = Object(message) as Record<string, unknown>;
  if (kind === "step" && isCount(step)) {
    return { kind, step };
  }
  if (kind === "reveal" && isCount(index)) {
    return { kind, index };
  }
  return kind === "export" && typeof format === "string" ? { kind, format } : undefined;
}

function isReady(message: unknown): boolean {
  return (Object(message) as { kind?: unknown }).kind === "ready";
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
