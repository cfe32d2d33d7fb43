/** Properties, elements and kept tests in VS Code's test explorer, with coverage of lines. */

import * as vscode from "vscode";
import { type Range, SERVER_COMMANDS } from "../protocol";
import type { Findings } from "./findings";
import { type Case, cases, type Covered, covered, KEPT, leaves } from "./outcomes";

const MOST_FILES = 2_000;
const SUITE_SUFFIX = ".suite.json";

/** The parts of the extension that the tests need. */
export interface TestParts {
  readonly findings: Findings;
  readonly execute: (command: string, args: readonly unknown[]) => Promise<void>;
  /** Suffixes of the files that hold tests, without a dot. */
  readonly suffixes: readonly string[];
}

/** Holds the tests of the workspace; those of a file are created when its item is expanded. */
export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("mutproof", "mutproof");
  private readonly details = new WeakMap<vscode.FileCoverage, readonly Covered[]>();
  private readonly listeners: readonly vscode.Disposable[];
  private readonly runs = new Set<TestRunning>();

  constructor(private readonly parts: TestParts) {
    const { controller } = this;
    controller.resolveHandler = (item) => (item === undefined ? this.findFiles() : this.openFile(item));
    controller.createRunProfile(
      "Prove and Mutate",
      vscode.TestRunProfileKind.Run,
      (request, token) => this.run(request, token, false),
      true,
      undefined,
      true,
    );
    const coverage = controller.createRunProfile(
      "Noticed Changes",
      vscode.TestRunProfileKind.Coverage,
      (request, token) => this.run(request, token, true),
    );
    coverage.loadDetailedCoverage = async (_run, file) =>
      (this.details.get(file) ?? []).map(
        ({ label, range, kills, mutants }) =>
          new vscode.StatementCoverage(
            kills,
            place(range),
            mutants.map(
              (mutant) =>
                new vscode.BranchCoverage(mutant.killed, place(mutant.range), `${label}: ${mutant.label}`),
            ),
          ),
      );
    const suites = vscode.workspace.createFileSystemWatcher(`**/*${SUITE_SUFFIX}`);
    const renewed = (suite: vscode.Uri): void =>
      parts.findings.renew((uri) => `${uri.slice(0, uri.lastIndexOf("."))}${SUITE_SUFFIX}` === suite.toString());
    this.listeners = [
      suites,
      suites.onDidCreate(renewed),
      suites.onDidChange(renewed),
      suites.onDidDelete(renewed),
      parts.findings.onDidChange((uri) => this.renew(uri)),
      parts.findings.onDidEnd((uri) => this.ended(uri)),
    ];
  }

  dispose(): void {
    for (const disposable of [...this.listeners, this.controller]) {
      disposable.dispose();
    }
  }

  private async findFiles(): Promise<void> {
    const pattern = `**/*.{${this.parts.suffixes.join(",")}}`;
    for (const uri of await vscode.workspace.findFiles(pattern, undefined, MOST_FILES)) {
      this.fileItem(uri);
    }
  }

  private fileItem(uri: vscode.Uri): vscode.TestItem {
    const id = uri.toString();
    const known = this.controller.items.get(id);
    if (known !== undefined) {
      return known;
    }
    const item = this.controller.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
    item.canResolveChildren = true;
    this.controller.items.add(item);
    return item;
  }

  private async openFile(item: vscode.TestItem): Promise<void> {
    if (item.uri !== undefined && item.canResolveChildren) {
      await vscode.workspace.openTextDocument(item.uri);
      await this.parts.findings.refresh(item.uri.toString());
    }
  }

  /** Update the items to the tests that a file has now; keep items that stay. */
  private renew(uri: string): void {
    const overview = this.parts.findings.overview(uri);
    if (overview !== undefined) {
      const item = this.fileItem(vscode.Uri.parse(uri));
      this.takeOver(item.children, cases(overview, this.parts.findings.tests(uri)), item.uri);
    }
  }

  private takeOver(
    items: vscode.TestItemCollection,
    found: readonly Case[],
    uri: vscode.Uri | undefined,
  ): void {
    const ids = new Set(found.map(({ id }) => id));
    items.forEach(({ id }) => ids.has(id) || items.delete(id));
    found.forEach((one, index) => {
      const file = one.uri === undefined ? uri : vscode.Uri.parse(one.uri);
      const item = items.get(one.id) ?? this.controller.createTestItem(one.id, one.label, file);
      item.label = one.label;
      item.description = one.description;
      item.range = place(one.range);
      item.sortText = String(index).padStart(6, "0");
      items.add(item);
      this.takeOver(item.children, one.cases, file);
    });
  }

  /** Report the outcomes of a file's tests to the runs that wait for it, or else in a new run. */
  private ended(uri: string): void {
    const waiting = [...this.runs].filter((running) => running.files.has(uri));
    if (waiting.length > 0) {
      for (const running of waiting) {
        running.ended(uri);
      }
      return;
    }
    const item = this.controller.items.get(uri);
    if (item !== undefined) {
      const run = this.controller.createTestRun(new vscode.TestRunRequest([item]), undefined, false);
      this.tell(run, item, new Set(), uri, false);
      run.end();
    }
  }

  private async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    covers: boolean,
  ): Promise<void> {
    const { findings, execute } = this.parts;
    const chosen = request.include ?? [...this.controller.items].map(([, item]) => item);
    const excluded = new Set(request.exclude ?? []);
    const files = new Map<string, vscode.TestItem[]>();
    for (const item of chosen) {
      const uri = modelOf(item)?.toString();
      if (uri !== undefined) {
        files.set(uri, [...(files.get(uri) ?? []), item]);
      }
    }
    const run = this.controller.createTestRun(request);
    const left = new Set(files.keys());
    await new Promise<void>((resolve) => {
      const running: TestRunning = {
        files: left,
        ended: (uri) => {
          for (const item of files.get(uri) ?? []) {
            this.tell(run, item, excluded, uri);
          }
          void (covers ? this.cover(run, uri) : Promise.resolve()).then(() => {
            if (request.continuous !== true) {
              left.delete(uri);
              if (left.size === 0) {
                this.runs.delete(running);
                resolve();
              }
            }
          });
        },
      };
      this.runs.add(running);
      const cancelled = token.onCancellationRequested(() => {
        this.runs.delete(running);
        cancelled.dispose();
        if (request.continuous !== true) {
          void execute(SERVER_COMMANDS.cancel, [...left]);
        }
        resolve();
      });
      if (left.size === 0) {
        resolve();
      }
      for (const [uri, items] of request.continuous === true ? [] : files) {
        void vscode.workspace.openTextDocument(vscode.Uri.parse(uri)).then(async () => {
          await findings.refresh(uri);
          for (const item of items) {
            each(item, excluded, (test) => run.started(test));
          }
          if (items.every(isKept)) {
            running.ended(uri);
          } else if (!findings.isActive(uri)) {
            await execute(SERVER_COMMANDS.prove, [uri]);
          }
        });
      }
    });
    run.end();
  }

  /** Report outcomes; where not `asked` for (after a save), diagnostics have the messages of proofs. */
  private tell(
    run: vscode.TestRun,
    item: vscode.TestItem,
    excluded: ReadonlySet<vscode.TestItem>,
    uri: string,
    asked = true,
  ): void {
    const overview = this.parts.findings.overview(uri);
    const all = overview === undefined ? [] : leaves(cases(overview, this.parts.findings.tests(uri)));
    const found = new Map(all.map((one) => [one.id, one]));
    each(item, excluded, (test) => {
      const outcome = found.get(test.id)?.outcome;
      const message = new vscode.TestMessage(outcome?.message ?? "");
      if (outcome?.outputs !== undefined) {
        message.expectedOutput = outcome.outputs.expected;
        message.actualOutput = outcome.outputs.actual;
      }
      const told = asked || isKept(test) ? message : [];
      if (test.uri !== undefined && test.range !== undefined) {
        message.location = new vscode.Location(test.uri, test.range);
      }
      switch (outcome?.kind) {
        case "passed":
          run.passed(test);
          break;
        case "failed":
          run.failed(test, told);
          break;
        case "errored":
          run.errored(test, told);
          break;
        default:
          run.skipped(test);
      }
    });
  }

  private async cover(run: vscode.TestRun, uri: string): Promise<void> {
    const overview = this.parts.findings.overview(uri);
    if (overview === undefined) {
      return;
    }
    const found = covered(overview, await this.parts.findings.mutants(uri));
    const mutants = found.flatMap((one) => one.mutants);
    const file = new vscode.FileCoverage(
      vscode.Uri.parse(uri),
      new vscode.TestCoverageCount(found.filter(({ kills }) => kills > 0).length, found.length),
      new vscode.TestCoverageCount(mutants.filter(({ killed }) => killed).length, mutants.length),
    );
    this.details.set(file, found);
    run.addCoverage(file);
  }
}

/** Return the model that an item belongs to. */
function modelOf(item: vscode.TestItem): vscode.Uri | undefined {
  return item.parent === undefined ? item.uri : modelOf(item.parent);
}

/** Tell whether an item is of kept tests, which need no proof. */
function isKept(item: vscode.TestItem): boolean {
  return item.id === KEPT || item.parent?.id === KEPT;
}

/** A run that waits for files. */
interface TestRunning {
  readonly files: ReadonlySet<string>;
  readonly ended: (uri: string) => void;
}

/** Do something with each test under an item. */
function each(
  item: vscode.TestItem,
  excluded: ReadonlySet<vscode.TestItem>,
  what: (test: vscode.TestItem) => void,
): void {
  if (excluded.has(item)) {
    return;
  }
  if (item.children.size === 0 && !item.canResolveChildren) {
    what(item);
  }
  item.children.forEach((child) => each(child, excluded, what));
}

function place({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
