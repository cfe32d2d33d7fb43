/** Entry point: puts the parts together. */

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import * as vscode from "vscode";
import { type CommandParts, handlers, MENU_COMMAND } from "./commands";
import { carriedWheel, install, privateInterpreter } from "./installation";
import { interpreters, type PythonApi } from "./interpreters";
import { documents, languages, titles } from "./languages";
import { run } from "./processes";
import { serveCommand } from "./server";
import { Session } from "./session";
import { SECTION } from "./settings";
import { Status } from "./status";
import { Texts } from "./texts";
import { CoveragePanel } from "./views/coveragePanel";
import { Findings } from "./views/findings";
import { MutantsView } from "./views/mutantsView";
import { Tests } from "./views/tests";
import { type Ask, TracePanel } from "./views/tracePanel";

const PYTHON_EXTENSION = "ms-python.python";
const DECLINED_KEY = "installationDeclined";
const WINDOWS = process.platform === "win32";

let session: Session | undefined;

/** Start the server and register views and commands. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const storage = context.globalStorageUri.fsPath;
  await mkdir(storage, { recursive: true });
  const output = vscode.window.createOutputChannel("mutproof", { log: true });
  const found = languages(context.extension.packageJSON);
  const selector = documents(found);
  const status = new Status(selector, MENU_COMMAND);
  const texts = new Texts();
  const ask: Ask = (...question) => started.ask(...question);
  const traces = new TracePanel(context.extensionPath, ask);
  const findings = new Findings(ask);
  const mutants = new MutantsView(selector, findings);
  const { extensionPath, workspaceState } = context;
  const coverage = new CoveragePanel(extensionPath, selector, findings, workspaceState);
  const tests = new Tests({
    findings,
    execute: (command, args) => started.execute(command, args),
    suffixes: found.flatMap(({ extensions }) => extensions.map((suffix) => suffix.slice(1))),
  });
  const commandParts: CommandParts = {
    restart: () => restart(context, started),
    install: () => installServer(context, started, output),
    execute: (command, args) => started.execute(command, args),
    showOutput: () => output.show(),
    showCoverage: () => coverage.show(),
    debugInfo: () => debugInfo(context, started, status),
    languages: titles(found),
    texts,
    traces,
    mutants,
  };
  const commands = handlers(commandParts);
  const started = new Session({
    output,
    status,
    documents: selector,
    storage,
    places: async () => ({
      interpreters: await interpreters(await surroundings()),
      privateInterpreter: privateInterpreter(storage, WINDOWS),
    }),
    ownCommands: new Set(commands.keys()),
    told: (uri, state) => findings.told(uri, state),
    missing: () => void offerInstallation(context, started, output),
  });
  session = started;
  for (const [id, handler] of commands) {
    context.subscriptions.push(vscode.commands.registerCommand(id, handler));
  }
  context.subscriptions.push(
    output,
    status,
    texts,
    traces,
    findings,
    mutants,
    tests,
    coverage,
    vscode.workspace.onDidCloseTextDocument((document) => status.forget(document.uri.toString())),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void started.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${SECTION}.server`)) {
        void started.restart();
      }
    }),
  );
  const python = await pythonApi();
  if (python !== undefined) {
    context.subscriptions.push(
      python.environments.onDidChangeActiveEnvironmentPath(() => {
        if (started.server?.origin !== "setting") {
          void started.restart();
        }
      }),
    );
  }
  void started.restart();
}

/** Stop the server; VS Code waits for it. */
export function deactivate(): Promise<void> | undefined {
  return session?.stop();
}

async function restart(context: vscode.ExtensionContext, started: Session): Promise<void> {
  await context.globalState.update(DECLINED_KEY, undefined);
  await started.restart();
}

async function offerInstallation(
  context: vscode.ExtensionContext,
  started: Session,
  output: vscode.LogOutputChannel,
): Promise<void> {
  if (context.globalState.get<boolean>(DECLINED_KEY)) {
    return;
  }
  const chosen = await answer(output, () =>
    vscode.window.showInformationMessage(
      "mutproof needs its server, a Python package. Install it into an environment of its own?",
      "Install",
      "Configure Path",
      "Show Output",
      "Not Now",
    ),
  );
  if (chosen === "Install") {
    await installServer(context, started, output);
  } else if (chosen === "Configure Path") {
    await vscode.commands.executeCommand("mutproof.configureServer");
  } else {
    await context.globalState.update(DECLINED_KEY, true);
  }
}

/** Ask, and ask again after each answer that shows the output. */
async function answer(
  output: vscode.LogOutputChannel,
  ask: () => Thenable<string | undefined>,
): Promise<string | undefined> {
  for (;;) {
    const chosen = await ask();
    if (chosen !== "Show Output") {
      return chosen;
    }
    output.show();
  }
}

async function installServer(
  context: vscode.ExtensionContext,
  started: Session,
  output: vscode.LogOutputChannel,
): Promise<void> {
  const storage = context.globalStorageUri.fsPath;
  const pythons = await interpreters(await surroundings());
  const installation = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: "Installing the mutproof server",
      cancellable: true,
    },
    (progress, cancellation) => {
      const abort = new AbortController();
      cancellation.onCancellationRequested(() => abort.abort());
      const says = (message: string): void => progress.report({ message });
      return install(storage, carriedWheel(context.extensionPath), pythons, WINDOWS, run, abort.signal, says);
    },
  );
  if (installation.ok) {
    await started.restart();
    return;
  }
  output.error(`${installation.step}\n${installation.output}`);
  const chosen = await answer(output, () =>
    vscode.window.showErrorMessage(
      `mutproof: ${installation.step}.`,
      "Install Again",
      "Configure Path",
      "Show Output",
    ),
  );
  if (chosen === "Install Again") {
    await installServer(context, started, output);
  } else if (chosen === "Configure Path") {
    await vscode.commands.executeCommand("mutproof.configureServer");
  }
}

async function surroundings(): Promise<Parameters<typeof interpreters>[0]> {
  const configured = vscode.workspace
    .getConfiguration("python")
    .get<string>("defaultInterpreterPath");
  return {
    trusted: vscode.workspace.isTrusted,
    workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    defaultInterpreter: configured,
    pythonApi: await pythonApi(),
    windows: WINDOWS,
    exists: existsSync,
  };
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>(PYTHON_EXTENSION);
  return extension === undefined ? undefined : await extension.activate();
}

function debugInfo(
  context: vscode.ExtensionContext,
  started: Session,
  status: Status,
): ReturnType<CommandParts["debugInfo"]> {
  const { server } = started;
  const packageJson: { version?: unknown } = context.extension.packageJSON;
  return {
    extensionVersion: String(packageJson.version),
    editor: `${vscode.env.appName} ${vscode.version}`,
    platform: `${process.platform} ${process.arch}`,
    trusted: vscode.workspace.isTrusted,
    serverState: status.serverState,
    serverCommand: server && serveCommand(server, { command: [], args: [] }),
    settings: vscode.workspace.getConfiguration(SECTION),
  };
}
