/** The server process: start, crash, restart and stop, one at a time. */

import * as os from "node:os";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  type ExecuteCommandOptions,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  type RegistrationData,
  State,
} from "vscode-languageclient/node";
import type { DocumentFilter } from "./languages";
import { run } from "./processes";
import {
  type DocumentState,
  parseStatistics,
  parseStatus,
  SHOW_ACTIONS,
  STATISTICS_METHOD,
  STATUS_METHOD,
} from "./protocol";
import { RestartPolicy, untilStarted } from "./restarts";
import { type Search, type Server, findServer, serveCommand } from "./server";
import { readServerSettings, SECTION, type ServerSettings } from "./settings";
import type { Status } from "./status";

/** What a session needs from the extension. */
export interface SessionParts {
  readonly output: vscode.LogOutputChannel;
  readonly status: Status;
  /** Filters for the documents that the server is asked about. */
  readonly documents: DocumentFilter[];
  /** Existing directory, outside every workspace, in which programs are run. */
  readonly storage: string;
  /** Finds interpreters that may have the server, apart from the settings. */
  readonly places: () => Promise<{
    readonly interpreters: readonly string[];
    readonly privateInterpreter: string;
  }>;
  /** Commands that this extension handles itself, even if the server offers them too. */
  readonly ownCommands: ReadonlySet<string>;
  /** Called with the status of a document. */
  readonly told: (uri: string, state: DocumentState) => void;
  /** Called when no server is found. */
  readonly missing: () => void;
}

/** Owns the language client. */
export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private found: Server | undefined;
  private readonly policy = new RestartPolicy(Date.now);
  private queue: Promise<void> = Promise.resolve();
  private endDelay: (() => void) | undefined;

  constructor(private readonly parts: SessionParts) {}

  /** The server that is or was running, if one was found. */
  get server(): Server | undefined {
    return this.found;
  }

  /** Stop the server if it runs, look for it again, and start it. */
  restart(): Promise<void> {
    this.policy.reset();
    return this.enqueue(async () => {
      await this.stopClient();
      await this.startClient();
    });
  }

  /** Stop the server. */
  stop(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopClient();
      this.parts.status.setServer({ kind: "stopped" });
    });
  }

  /** Have the server execute a command once it has started; tell the user if it cannot. */
  async execute(command: string, args: readonly unknown[]): Promise<void> {
    await untilStarted(() => this.parts.status.serverState.kind);
    if (this.client?.isRunning()) {
      await this.client.start();
    }
    if (this.client === undefined || !this.client.isRunning()) {
      await this.showFailure("mutproof: the server is not running.");
      return;
    }
    try {
      await this.client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [...args] });
    } catch (error) {
      await this.showFailure(`mutproof: ${message(error)}`);
    }
  }

  /** Send one of the server's own requests about a file; return undefined while none runs. */
  async ask(method: string, uri: string, fields: object): Promise<unknown> {
    return this.client?.isRunning()
      ? this.client.sendRequest(method, { textDocument: { uri }, ...fields })
      : undefined;
  }

  dispose(): void {
    void this.stop();
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.endDelay?.();
    this.queue = this.queue.then(work).catch((error: unknown) => {
      this.fail(message(error));
    });
    return this.queue;
  }

  private async startClient(): Promise<void> {
    const { output, status, places, missing } = this.parts;
    status.setServer({ kind: "starting" });
    const settings = this.settings();
    const directory = this.directory();
    const search = await findServer({ settings, ...(await places()) }, run, directory);
    this.found = search.kind === "found" ? search.server : undefined;
    if (search.kind !== "found") {
      const reason = describe(search);
      output.error(reason);
      status.setServer({ kind: "failed", reason });
      if (search.kind === "missing") {
        missing();
      } else {
        void this.showFailure(`mutproof: ${reason}`);
      }
      return;
    }
    const { server } = search;
    const words = serveCommand(server, settings);
    output.info(`Starting mutproof ${server.version}: ${words.join(" ")}`);
    this.client = this.createClient(words, directory, server.version);
    try {
      await this.client.start();
    } catch (error) {
      // The language client has already told the user.
      this.client = undefined;
      status.setServer({ kind: "failed", reason: message(error) });
    }
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client === undefined) {
      return;
    }
    try {
      if (client.state === State.Starting) {
        await client.start();
      }
      await client.dispose();
    } catch (error) {
      this.parts.output.warn(`The server did not stop in time: ${message(error)}`);
    }
  }

  /** The server's working directory: untrusted workspaces must not provide Python modules. */
  private directory(): string {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    return vscode.workspace.isTrusted && folder?.scheme === "file"
      ? folder.fsPath
      : this.parts.storage;
  }

  private settings(): ServerSettings {
    return readServerSettings(
      vscode.workspace.getConfiguration(SECTION),
      vscode.workspace.isTrusted,
      {
        home: os.homedir(),
        workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
        environment: process.env,
      },
    );
  }

  private createClient(
    [command = "", ...args]: readonly string[],
    cwd: string,
    version: string,
  ): LanguageClient {
    const { output, status, documents } = this.parts;
    const options: LanguageClientOptions = {
      documentSelector: documents,
      diagnosticCollectionName: "mutproof",
      outputChannel: output,
      synchronize: { configurationSection: SECTION },
      initializationFailedHandler: () => false,
      initializationOptions: () => ({ cancelledFiles: status.cancelledDocuments }),
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => this.closed(client),
      },
    };
    const client = new LanguageClient(
      SECTION,
      "mutproof",
      { command, args, options: { cwd } },
      options,
    );
    this.keepOwnCommands(client);
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = { [SHOW_ACTIONS]: true };
      },
      initialize: () => undefined,
      getState: () => ({ kind: "static" }),
      clear: () => undefined,
    });
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) {
        return;
      }
      if (newState === State.Running) {
        status.setServer({ kind: "running", version });
      } else if (newState === State.Stopped && status.serverState.kind === "restarting") {
        status.setServer({ kind: "failed", reason: "The server could not be started again." });
      }
    });
    client.onNotification(STATUS_METHOD, (value: unknown) => {
      const parsed = parseStatus(value);
      if (parsed !== undefined) {
        const uri = vscode.Uri.parse(parsed.uri).toString();
        status.setDocument({ ...parsed, uri });
        this.parts.told(uri, parsed.state);
      }
    });
    client.onNotification(STATISTICS_METHOD, (value: unknown) => {
      const parsed = parseStatistics(value);
      if (parsed !== undefined) {
        status.setStatistics({ ...parsed, uri: vscode.Uri.parse(parsed.uri).toString() });
      }
    });
    return client;
  }

  /**
   * Register only the server's commands that the extension does not handle itself, as VS Code
   * refuses a second handler for a command.
   */
  private keepOwnCommands(client: LanguageClient): void {
    const feature = client.getFeature(ExecuteCommandRequest.method);
    const register = feature.register.bind(feature);
    feature.register = (data: RegistrationData<ExecuteCommandOptions>) => {
      const commands = data.registerOptions.commands.filter(
        (command) => !this.parts.ownCommands.has(command),
      );
      register({ ...data, registerOptions: { ...data.registerOptions, commands } });
    };
  }

  private async closed(
    client: LanguageClient,
  ): Promise<{ action: CloseAction; handled: boolean; message?: string }> {
    const stop = { action: CloseAction.DoNotRestart, handled: true };
    if (client !== this.client || this.parts.status.serverState.kind === "starting") {
      return stop;
    }
    const decision = this.policy.crashed();
    if (decision.kind === "give-up") {
      this.client = undefined;
      this.fail("The server ended unexpectedly several times and was not started again.");
      return stop;
    }
    const { afterMilliseconds } = decision;
    this.parts.status.setServer({ kind: "restarting", afterMilliseconds });
    await this.delay(afterMilliseconds);
    if (client !== this.client) {
      return stop;
    }
    return {
      action: CloseAction.Restart,
      handled: true,
      message: `The server ended unexpectedly; starting it again after ${afterMilliseconds} ms.`,
    };
  }

  private delay(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.endDelay = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private fail(reason: string): void {
    this.parts.output.error(reason);
    this.parts.status.setServer({ kind: "failed", reason });
    void this.showFailure(`mutproof: ${reason}`);
  }

  private async showFailure(message: string): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(
      message,
      "Restart Server",
      "Install Server",
      "Configure Path",
      "Show Output",
    );
    if (chosen === "Show Output") {
      this.parts.output.show();
    } else if (chosen === "Restart Server") {
      await this.restart();
    } else if (chosen === "Install Server") {
      await vscode.commands.executeCommand("mutproof.installServer");
    } else if (chosen === "Configure Path") {
      await vscode.commands.executeCommand("mutproof.configureServer");
    }
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describe(search: Exclude<Search, { kind: "found" }>): string {
  return search.kind === "missing"
    ? "No mutproof server was found in Python or in the private environment."
    : `The command in mutproof.server.path does not run (${search.words.join(" ")}): ${search.reason}`;
}
