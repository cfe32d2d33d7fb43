/** The commands of the extension: those in the palette, and those that the server's lenses use. */

import * as vscode from "vscode";
import {
  ACTION_KINDS,
  type Finding,
  parseFindings,
  parsePlace,
  parseShownText,
  SERVER_COMMANDS,
  SHOW_ACTIONS,
} from "./protocol";
import type { ServerState } from "./status";
import type { Texts } from "./texts";
import { goTo, type MutantsView } from "./views/mutantsView";
import { reveal } from "./views/reveal";
import type { TracePanel } from "./views/tracePanel";

/** Command of the status items. */
export const MENU_COMMAND = "mutproof.showMenu";

/** Beginning of the titles of code actions that show a distinguishing trace. */
const DISTINGUISHING_TRACE = "Show distinguishing trace of ";

/** The parts of the extension on which the commands act. */
export interface CommandParts {
  readonly restart: () => Promise<void>;
  readonly install: () => Promise<void>;
  readonly execute: (command: string, args: readonly unknown[]) => Promise<void>;
  readonly showOutput: () => void;
  readonly showCoverage: () => void;
  readonly debugInfo: () => DebugInfo;
  /** Names of the languages as shown to users: `A or B`. */
  readonly languages: string;
  readonly texts: Pick<Texts, "show">;
  readonly traces: Pick<TracePanel, "show">;
  readonly mutants: Pick<MutantsView, "chooseFilter" | "setFollows" | "subject">;
}

/** Debug information for an issue. */
export interface DebugInfo {
  readonly extensionVersion: string;
  readonly editor: string;
  readonly platform: string;
  readonly trusted: boolean;
  readonly serverState: ServerState;
  readonly serverCommand: readonly string[] | undefined;
  readonly settings: unknown;
}

type Handler = (...args: unknown[]) => unknown;

/** Return the handlers of all commands by their ids. */
export function handlers(parts: CommandParts): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ["mutproof.restartServer", () => parts.restart()],
    ["mutproof.installServer", () => parts.install()],
    [
      "mutproof.configureServer",
      () => vscode.commands.executeCommand("workbench.action.openSettings", "mutproof.server.path"),
    ],
    ["mutproof.showOutput", () => parts.showOutput()],
    ["mutproof.proveNow", () => onActiveDocument(SERVER_COMMANDS.prove, parts)],
    ["mutproof.showDistinguishingTrace", () => showDistinguishingTrace()],
    ["mutproof.cancel", () => onActiveDocument(SERVER_COMMANDS.cancel, parts)],
    ["mutproof.copyDebugInfo", () => copyDebugInfo(parts.debugInfo())],
    // The language client has no handler for this command while no server runs.
    [SERVER_COMMANDS.addProperties, (...args) => parts.execute(SERVER_COMMANDS.addProperties, args)],
    [
      SERVER_COMMANDS.makeTests,
      (...args) =>
        args.length > 0
          ? parts.execute(SERVER_COMMANDS.makeTests, args)
          : onActiveDocument(SERVER_COMMANDS.makeTests, parts),
    ],
    ["mutproof.showFindings", (...args) => showFindings(args)],
    [SHOW_ACTIONS, (...args) => showActions(args)],
    ["mutproof.showText", (shown) => showText(shown, parts)],
    ["mutproof.showCoverage", () => parts.showCoverage()],
    ["mutproof.goTo", (uri, range) => goTo(uri, range)],
    ["mutproof.mutants.filter", () => parts.mutants.chooseFilter()],
    ["mutproof.mutants.follow", () => parts.mutants.setFollows(true)],
    ["mutproof.mutants.unfollow", () => parts.mutants.setFollows(false)],
    ["mutproof.mutants.showTrace", (row) => showTrace(row, parts)],
    [MENU_COMMAND, () => showMenu()],
  ]);
}

/** Return debug information as text for an issue. */
export function debugText(info: DebugInfo): string {
  const { serverState } = info;
  const lines = [
    `mutproof extension ${info.extensionVersion}`,
    `editor: ${info.editor}`,
    `platform: ${info.platform}`,
    `workspace trusted: ${info.trusted ? "yes" : "no"}`,
    `server: ${serverState.kind}`,
    ...(serverState.kind === "running" ? [`server version: ${serverState.version}`] : []),
    ...(serverState.kind === "failed" ? [`server failure: ${serverState.reason}`] : []),
    `server command: ${info.serverCommand?.join(" ") ?? "none found"}`,
    `settings: ${JSON.stringify(info.settings, undefined, 2)}`,
  ];
  return lines.join("\n");
}

async function onActiveDocument(command: string, parts: CommandParts): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined) {
    await vscode.window.showInformationMessage(`mutproof: open a ${parts.languages} file first.`);
    return;
  }
  await parts.execute(command, [document.uri.toString()]);
}

/** Show, for a gap at the cursor, the execution on which model and mutant differ. */
async function showDistinguishingTrace(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const offered =
    editor === undefined
      ? []
      : await actions(editor.document.uri, editor.selection, ACTION_KINDS.traces);
  const items = offered
    .filter(({ title }) => title.startsWith(DISTINGUISHING_TRACE))
    .map((action) => ({ label: action.title.slice(DISTINGUISHING_TRACE.length), action }));
  if (items.length === 0) {
    await vscode.window.showInformationMessage(
      "mutproof: at the cursor is no change of which a distinguishing trace is known.",
    );
    return;
  }
  const title = "Model beside mutant";
  const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { title });
  if (chosen !== undefined) {
    await take(chosen.action);
  }
}

/** Let the user choose among all actions at a place, of which menus show a part. */
async function showActions(args: readonly unknown[]): Promise<void> {
  const place = parsePlace(args);
  if (place === undefined) {
    throw new Error("mutproof.showActions needs a URI and a range");
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(place.uri));
  const { start, end } = place.range;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  const { version } = document;
  const offered = [];
  for (const kind of ACTION_KINDS.all) {
    offered.push(...(await actions(document.uri, range, kind)));
  }
  const items = offered.map((action) => ({ label: action.title, action }));
  const chosen = await vscode.window.showQuickPick(items, { title: "Changes here" });
  if (chosen === undefined) {
    return;
  }
  if (document.version !== version) {
    await vscode.window.showInformationMessage("mutproof: the text has changed; choose again.");
    return;
  }
  await take(chosen.action);
}

/** Return the code actions of a kind at a place. */
async function actions(
  uri: vscode.Uri,
  range: vscode.Range,
  kind: string,
): Promise<readonly vscode.CodeAction[]> {
  const offered = await vscode.commands.executeCommand<vscode.CodeAction[] | undefined>(
    "vscode.executeCodeActionProvider",
    uri,
    range,
    kind,
  );
  return offered ?? [];
}

/** Apply an action as the editor's menus do. */
async function take({ edit, command }: vscode.CodeAction): Promise<void> {
  if (edit !== undefined) {
    await vscode.workspace.applyEdit(edit);
  }
  if (command !== undefined) {
    await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
  }
}

async function copyDebugInfo(info: DebugInfo): Promise<void> {
  await vscode.env.clipboard.writeText(debugText(info));
  await vscode.window.showInformationMessage("mutproof: debug information copied.");
}

async function showFindings(args: readonly unknown[]): Promise<void> {
  const parsed = parseFindings(args);
  if (parsed === undefined) {
    throw new Error("mutproof.showFindings needs a title and an array of locations");
  }
  const { title, findings } = parsed;
  const [first] = findings;
  if (first === undefined) {
    await vscode.window.showInformationMessage(title);
    return;
  }
  if (findings.length === 1) {
    await reveal(first.uri, first.range);
    return;
  }
  const items = await Promise.all(findings.map(item));
  const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  if (chosen !== undefined) {
    await reveal(chosen.finding.uri, chosen.finding.range);
  }
}

async function item(finding: Finding): Promise<vscode.QuickPickItem & { finding: Finding }> {
  const uri = vscode.Uri.parse(finding.uri);
  const { line, character } = finding.range.start;
  const place = `${line + 1}:${character + 1}`;
  const document = await vscode.workspace.openTextDocument(uri);
  const source = line < document.lineCount ? document.lineAt(line).text.trim() : "";
  return finding.label === undefined
    ? { label: place, description: source, finding }
    : { label: finding.label, description: `${place}  ${source}`, finding };
}

async function showText(
  value: unknown,
  { texts, traces }: Pick<CommandParts, "texts" | "traces">,
): Promise<void> {
  const shown = parseShownText(value);
  if (shown === undefined) {
    throw new Error("mutproof.showText needs a title, and a text or a left and a right side");
  }
  const traced = shown.kind === "text" ? shown.trace : undefined;
  if (traced !== undefined && (await traces.show(traced))) {
    return;
  }
  await texts.show(shown, vscode.window.activeTextEditor?.document.languageId);
}

async function showTrace(
  row: unknown,
  { mutants, traces }: Pick<CommandParts, "mutants" | "traces">,
): Promise<void> {
  const subject = mutants.subject(row);
  if (subject === undefined || !(await traces.show(subject))) {
    await vscode.window.showInformationMessage("mutproof: no execution of this is known.");
  }
}

async function showMenu(): Promise<void> {
  const chosen = await vscode.window.showQuickPick(
    [
      { label: "$(play) Prove and mutate this file", command: "mutproof.proveNow" },
      { label: "$(stop-circle) Cancel running proofs", command: "mutproof.cancel" },
      { label: "$(table) Show coverage", command: "mutproof.showCoverage" },
      { label: "$(debug-restart) Restart server", command: "mutproof.restartServer" },
      { label: "$(cloud-download) Install server", command: "mutproof.installServer" },
      { label: "$(settings-gear) Configure path of server", command: "mutproof.configureServer" },
      { label: "$(output) Show output", command: "mutproof.showOutput" },
      { label: "$(copy) Copy debug information", command: "mutproof.copyDebugInfo" },
    ],
    { title: "mutproof" },
  );
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}
