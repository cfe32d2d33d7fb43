/**
 * The settings that the client itself needs: how to run the server. All others are read by the
 * server through `workspace/configuration`.
 */

/** Section of the settings of this extension. */
export const SECTION = "mutproof";

/** The part of `vscode.WorkspaceConfiguration` that is read here. */
export interface Configuration {
  get<T>(key: string): T | undefined;
  inspect<T>(key: string): { defaultValue?: T; globalValue?: T } | undefined;
}

/** Values of the variables in a configured command. */
export interface Variables {
  readonly home: string;
  readonly workspaceFolder: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How the user wants the server to be run. */
export interface ServerSettings {
  /** Words of the command without `serve`; empty if none is configured. */
  readonly command: readonly string[];
  /** Words after `serve`. */
  readonly args: readonly string[];
}

/**
 * Read how to run the server. In a workspace that is not trusted, only the user's own settings
 * count.
 */
export function readServerSettings(
  configuration: Configuration,
  trusted: boolean,
  variables: Variables,
): ServerSettings {
  const read = (key: string): unknown => {
    if (trusted) {
      return configuration.get(key);
    }
    const inspected = configuration.inspect(key);
    return inspected?.globalValue ?? inspected?.defaultValue;
  };
  const expandAll = (value: unknown): string[] => words(value).map((word) => expand(word, variables));
  return { command: expandAll(read("server.path")), args: expandAll(read("server.args")) };
}

/**
 * Replace `~/`, `${userHome}`, `${workspaceFolder}` and `${env:NAME}` in a word. A variable
 * without a value stays as it is, so that the error message shows it.
 */
export function expand(word: string, variables: Variables): string {
  const untilded = word.replace(/^~(?=[/\\]|$)/, () => variables.home);
  return untilded.replace(/\$\{(userHome|workspaceFolder|env:([^}]+))\}/g, (whole, name, key) => {
    switch (name) {
      case "userHome":
        return variables.home;
      case "workspaceFolder":
        return variables.workspaceFolder ?? whole;
      default:
        return variables.environment[key] ?? whole;
    }
  });
}

function words(value: unknown): string[] {
  if (typeof value === "string") {
    return value.trim() === "" ? [] : [value.trim()];
  }
  return Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
}
