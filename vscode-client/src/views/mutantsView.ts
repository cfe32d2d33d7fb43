/** The view of the mutants of the active file. */

import * as vscode from "vscode";
import type { Subject } from "../protocol";
import type { Findings } from "./findings";
import {
  behaviourRows,
  componentRows,
  elementRows,
  FILTERS,
  look,
  mutantRows,
  type Row,
  rowAt,
} from "./mutantsTree";
import { reveal } from "./reveal";

/** Name of the view in the manifest. */
const VIEW = "mutproof.mutants";

/** Key for whether the view follows the cursor, also a context key for the manifest's menus. */
const FOLLOWS = "mutproof.mutants.follows";

/** Shows the mutants of the model in the active editor, or else of the last such model. */
export class MutantsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly view: vscode.TreeView<Row>;
  private readonly changes = new vscode.EventEmitter<undefined>();
  private readonly listeners: readonly vscode.Disposable[];
  private uri: string | undefined;
  private filter = FILTERS[0] as (typeof FILTERS)[number];
  private follows = true;

  readonly onDidChangeTreeData = this.changes.event;

  constructor(
    private readonly selector: vscode.DocumentSelector,
    private readonly findings: Findings,
  ) {
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.listeners = [
      findings.onDidChange((uri) => uri === this.uri && this.renew()),
      vscode.window.onDidChangeActiveTextEditor(() => this.turn()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        const line = selections[0]?.active.line;
        if (textEditor.document.uri.toString() === this.uri && line !== undefined) {
          void this.followTo(line);
        }
      }),
    ];
    this.setFollows(true);
    this.turn();
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const { label, description, icon, range } = look(row);
    const state = row.kind === "mutant" ? "None" : row.kind === "component" ? "Expanded" : "Collapsed";
    const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState[state]);
    item.id = `${this.uri} ${this.filter.id} ${row.id}`;
    item.description = description;
    item.tooltip = `${label}\n${description}`;
    item.iconPath = new vscode.ThemeIcon(icon);
    item.contextValue = row.kind === "mutant" && row.of.traced ? "traced" : row.kind;
    item.accessibilityInformation = { label: `${label}, ${description}` };
    item.command = { title: "Go to Source", command: "mutproof.goTo", arguments: [this.uri, range] };
    return item;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    const overview = this.uri === undefined ? undefined : this.findings.overview(this.uri);
    if (this.uri === undefined || overview === undefined) {
      return [];
    }
    switch (row?.kind) {
      case undefined:
        return [...componentRows(overview, this.filter)];
      case "component":
        return [...elementRows(row, this.filter)];
      case "element":
        return [...mutantRows(await this.findings.mutants(this.uri, row.of.key), this.filter, row)];
      case "behaviour":
        return [...behaviourRows(row)];
      case "mutant":
        return [];
    }
  }

  getParent(row: Row): Row | undefined {
    return row.kind === "component" ? undefined : row.parent;
  }

  /** Return the subject whose execution belongs to a row; undefined if there is none. */
  subject(row: unknown): Subject | undefined {
    const { kind, of } = Object(row) as Row & { kind: "mutant" };
    return kind === "mutant" && this.uri !== undefined
      ? { uri: this.uri, kind: "mutant", name: of.mutant }
      : undefined;
  }

  /** Let the user choose which mutants are shown. */
  async chooseFilter(): Promise<void> {
    const overview = this.uri === undefined ? undefined : this.findings.overview(this.uri);
    const items = FILTERS.map((filter) => {
      const found = overview?.components.map(({ counts }) => filter.count(counts)) ?? [];
      const sum = found.reduce((total, count) => total + count, 0);
      return { label: filter.title, description: String(sum), filter };
    });
    const chosen = await vscode.window.showQuickPick(items, { title: "Which mutants are shown" });
    if (chosen !== undefined) {
      this.filter = chosen.filter;
      this.renew();
    }
  }

  /** Set whether the view follows the cursor. */
  setFollows(follows: boolean): void {
    this.follows = follows;
    void vscode.commands.executeCommand("setContext", FOLLOWS, follows);
  }

  dispose(): void {
    for (const listener of this.listeners) {
      listener.dispose();
    }
    this.view.dispose();
    this.changes.dispose();
  }

  private turn(): void {
    const document = vscode.window.activeTextEditor?.document;
    const uri = document?.uri.toString();
    if (document === undefined || uri === this.uri || vscode.languages.match(this.selector, document) === 0) {
      return;
    }
    this.uri = uri;
    this.renew();
  }

  private renew(): void {
    const overview = this.uri === undefined ? undefined : this.findings.overview(this.uri);
    const counts = overview?.components.map(({ counts }) => counts) ?? [];
    const shown = counts.reduce((sum, each) => sum + this.filter.count(each), 0);
    const gaps = counts.reduce((sum, { survived }) => sum + survived, 0);
    this.view.description = `${this.filter.title.toLowerCase()}: ${shown}`;
    this.view.badge = gaps === 0 ? undefined : { value: gaps, tooltip: `${gaps} mutants survive` };
    this.view.message = overview === undefined || shown > 0 ? "" : "No mutant of this kind.";
    this.changes.fire(undefined);
  }

  private async followTo(line: number): Promise<void> {
    if (!this.follows || !this.view.visible || this.uri === undefined) {
      return;
    }
    const overview = this.findings.overview(this.uri);
    const row = overview && rowAt(overview, line);
    if (row?.kind === "element" && this.filter.count(row.of.counts) > 0) {
      await this.view.reveal(row, { select: true, focus: false, expand: false });
    }
  }
}

/** Go to the source of a row. */
export async function goTo(uri: unknown, range: unknown): Promise<void> {
  if (typeof uri === "string") {
    await reveal(uri, range as Parameters<typeof reveal>[1]);
  }
}
