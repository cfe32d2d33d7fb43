/**
 * Stand-in for the parts of the `vscode` module that the tested modules use. It records what the
 * user would see in {@link seen} and answers questions with {@link answers}.
 */

/** What was shown or done since the last {@link reset}. */
export const seen: {
  messages: string[];
  picks: { title: string | undefined; labels: string[]; descriptions: (string | undefined)[] }[];
  opened: { uri: string; line: number | undefined }[];
  executed: unknown[][];
  edits: unknown[];
  clipboard: string;
} = { messages: [], picks: [], opened: [], executed: [], edits: [], clipboard: "" };

/** Index of the item chosen in the next quick pick; texts of files; results of commands. */
export const answers: {
  pick: number | undefined;
  files: Map<string, string>;
  results: Map<string, unknown>;
} = { pick: undefined, files: new Map(), results: new Map() };

/** Forget everything. */
export function reset(): void {
  Object.assign(seen, { messages: [], picks: [], opened: [], executed: [], edits: [], clipboard: "" });
  answers.pick = undefined;
  answers.files.clear();
  answers.results.clear();
  window.activeTextEditor = undefined;
}

export class Range {
  constructor(
    readonly startLine: number,
    readonly startCharacter: number,
    readonly endLine: number,
    readonly endCharacter: number,
  ) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export const Uri = {
  parse: (text: string) => ({ toString: () => text }),
};

export const LanguageStatusSeverity = { Information: 0, Warning: 1, Error: 2 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ViewColumn = { Beside: -2, One: 1 };

interface Item {
  label: string;
  description?: string;
}

export const statusBarItem = {
  text: "",
  tooltip: "",
  visible: false,
  backgroundColor: undefined as ThemeColor | undefined,
  show(): void {
    this.visible = true;
  },
  hide(): void {
    this.visible = false;
  },
  dispose(): void {},
};

export const languageStatusItem = { text: "", detail: "", busy: false, severity: 0, dispose() {} };

export const window = {
  activeTextEditor: undefined as
    | { document: { uri: { toString(): string }; languageId: string }; selection?: Range }
    | undefined,
  visibleTextEditors: [] as { document: { uri: { toString(): string } }; viewColumn: number }[],
  createStatusBarItem: () => statusBarItem,
  onDidChangeActiveTextEditor: () => ({ dispose() {} }),
  showInformationMessage: async (message: string): Promise<undefined> => {
    seen.messages.push(message);
  },
  showQuickPick: async (items: Item[], options?: { title?: string }): Promise<Item | undefined> => {
    seen.picks.push({
      title: options?.title,
      labels: items.map(({ label }) => label),
      descriptions: items.map(({ description }) => description),
    });
    return answers.pick === undefined ? undefined : items[answers.pick];
  },
  showTextDocument: async (
    uri: { toString(): string },
    options?: { selection?: Range },
  ): Promise<void> => {
    seen.opened.push({ uri: uri.toString(), line: options?.selection?.startLine });
  },
};

export const workspace = {
  onDidChangeTextDocument: () => ({ dispose() {} }),
  openTextDocument: async (uri: { toString(): string }) => {
    const lines = (answers.files.get(uri.toString()) ?? "").split("\n");
    const lineAt = (line: number): { text: string } => ({ text: lines[line] ?? "" });
    return { uri, lineCount: lines.length, lineAt };
  },
  applyEdit: async (edit: unknown): Promise<boolean> => {
    seen.edits.push(edit);
    return true;
  },
};

export const languages = {
  createLanguageStatusItem: () => languageStatusItem,
  match: (_selector: unknown, document: { languageId: string }) =>
    document.languageId === "lustre" || document.languageId === "nuxmv" ? 10 : 0,
};

export const commands = {
  executeCommand: async (...words: unknown[]): Promise<unknown> => {
    seen.executed.push(words);
    const [name, , , kind] = words.map(String);
    return answers.results.get(`${name} ${kind}`) ?? answers.results.get(`${name}`);
  },
};

export const env = {
  clipboard: {
    writeText: async (text: string): Promise<void> => {
      seen.clipboard = text;
    },
  },
};
