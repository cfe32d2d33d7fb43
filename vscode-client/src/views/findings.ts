/** Overviews of the files that views show, requested anew when the server or the text changes. */

import * as vscode from "vscode";
import type { DocumentState } from "../protocol";
import {
  KEPT_TESTS_METHOD,
  type KeptTests,
  type Mutant,
  MUTANTS_METHOD,
  type Overview,
  OVERVIEW_METHOD,
  parseKeptTests,
  parseMutants,
  parseOverview,
} from "./overview";
import type { Ask } from "./tracePanel";

const ACTIVE: readonly DocumentState[] = ["parsing", "queued", "proving", "mutating"];
const PAUSE_MILLISECONDS = 500;

/** Caches the overview of each file that was asked for. */
export class Findings implements vscode.Disposable {
  private readonly known = new Map<string, Overview>();
  private readonly kept = new Map<string, KeptTests>();
  private readonly states = new Map<string, DocumentState>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly changes = new vscode.EventEmitter<string>();
  private readonly ends = new vscode.EventEmitter<string>();
  private readonly listener: vscode.Disposable;

  /** Fires with a file that has a new overview. */
  readonly onDidChange = this.changes.event;

  /** Fires with the file of a run that has ended, once its overview is there. */
  readonly onDidEnd = this.ends.event;

  constructor(private readonly ask: Ask) {
    this.listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const uri = document.uri.toString();
      if (contentChanges.length > 0 && this.known.has(uri)) {
        this.refreshSoon(uri);
      }
    });
  }

  /** Return the last overview of a file; request one if there is none. */
  overview(uri: string): Overview | undefined {
    const found = this.known.get(uri);
    if (found === undefined) {
      this.refreshSoon(uri, 0);
    }
    return found;
  }

  /** Return the suite beside a file that was asked for, as last run. */
  tests(uri: string): KeptTests | undefined {
    return this.kept.get(uri);
  }

  /** Request anew what is known of files. */
  renew(wanted: (uri: string) => boolean): void {
    for (const uri of this.known.keys()) {
      if (wanted(uri)) {
        this.refreshSoon(uri);
      }
    }
  }

  /** Tell whether a file is being analysed. */
  isActive(uri: string): boolean {
    const state = this.states.get(uri);
    return state !== undefined && ACTIVE.includes(state);
  }

  /** Return the mutants of an element, or of all elements. */
  async mutants(uri: string, element?: string): Promise<readonly Mutant[]> {
    return parseMutants(await this.ask(MUTANTS_METHOD, uri, element === undefined ? {} : { element }));
  }

  /** Note the status of a file. */
  told(uri: string, state: DocumentState): void {
    const ended = this.isActive(uri) && !ACTIVE.includes(state);
    this.states.set(uri, state);
    if (ended) {
      void this.refresh(uri).then(() => this.ends.fire(uri));
    } else {
      this.refreshSoon(uri);
    }
  }

  /** Request the overview of a file now. */
  async refresh(uri: string): Promise<void> {
    clearTimeout(this.timers.get(uri));
    this.timers.delete(uri);
    const found = parseOverview(await this.ask(OVERVIEW_METHOD, uri, {}).catch(() => undefined));
    const kept = parseKeptTests(await this.ask(KEPT_TESTS_METHOD, uri, {}).catch(() => undefined));
    if (found !== undefined) {
      this.known.set(uri, found);
      if (kept === undefined) {
        this.kept.delete(uri);
      } else {
        this.kept.set(uri, kept);
      }
      this.changes.fire(uri);
    }
  }

  dispose(): void {
    for (const timer of this.timers.values()) {
      clearTimeout(timer);
    }
    this.listener.dispose();
    this.changes.dispose();
    this.ends.dispose();
  }

  private refreshSoon(uri: string, pause = PAUSE_MILLISECONDS): void {
    if (!this.timers.has(uri)) {
      this.timers.set(uri, setTimeout(() => void this.refresh(uri), pause));
    }
  }
}
