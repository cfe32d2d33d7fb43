/**
 * Messages between client and server beyond the Language Server Protocol: notifications about
 * progress, and the arguments of commands in lenses, hovers and actions.
 *
 * Knows neither VS Code nor the language client. Everything that arrives as JSON is checked here.
 */

/** Position in a document; both numbers are 0-based, characters are UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** Range in a document; `end` is exclusive. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** Method of the notification that carries a {@link DocumentStatus}. */
export const STATUS_METHOD = "mutproof/status";

/** Method of the notification that carries {@link Statistics}. */
export const STATISTICS_METHOD = "mutproof/statistics";

/** Command of the last entry of a menu, which the server sends to clients that announce it. */
export const SHOW_ACTIONS = "mutproof.showActions";

/** Kinds of the server's code actions; requests for exactly these return all actions. */
export const ACTION_KINDS = {
  all: ["quickfix.mutproof", "refactor.rewrite.mutproof"],
  traces: "quickfix.mutproof.trace",
} as const;

/** Commands that the server executes. */
export const SERVER_COMMANDS = {
  prove: "mutproof.prove",
  cancel: "mutproof.cancel",
  addProperties: "mutproof.addProperties",
  makeTests: "mutproof.makeTests",
} as const;

const DOCUMENT_STATES = [
  "idle",
  "parsing",
  "queued",
  "proving",
  "mutating",
  "done",
  "cancelled",
  "failed",
] as const;

/** Phase of the analysis of one document. */
export type DocumentState = (typeof DOCUMENT_STATES)[number];

/** Progress of one document. `done` and `total` count mutants or properties, by `state`. */
export interface DocumentStatus {
  readonly uri: string;
  readonly state: DocumentState;
  readonly message?: string;
  readonly done?: number;
  readonly total?: number;
}

/** Counts of one finished run, and how its verdicts were obtained. */
export interface Statistics {
  readonly uri: string;
  readonly version: number | null;
  readonly verdicts: number;
  readonly kept: number;
  readonly replayed: number;
  readonly reproved: number;
  readonly solverCalls: number;
  readonly seconds: number;
  readonly killed: number;
  readonly survived: number;
  readonly unknown: number;
  readonly stillborn: number;
  /** Survivors that are proved equivalent to the model. */
  readonly equivalent: number;
}

/** Range in a file. */
export interface Place {
  readonly uri: string;
  readonly range: Range;
}

/** One place to which a lens leads. */
export interface Finding extends Place {
  readonly label?: string;
}

/** Argument of `mutproof.showFindings`. */
export interface Findings {
  readonly title: string;
  readonly findings: readonly Finding[];
}

/** Subject of an execution: a mutant, a property or a fault of a file. */
export interface Subject {
  readonly uri: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * Argument of `mutproof.showText`: one text, or two side by side. `trace` names the execution
 * that a text describes, if any.
 */
export type ShownText =
  | {
      readonly kind: "text";
      readonly title: string;
      readonly text: string;
      readonly trace?: Subject;
    }
  | { readonly kind: "diff"; readonly title: string; readonly left: string; readonly right: string };

/** Return the status in `value`; undefined if it is not one. */
export function parseStatus(value: unknown): DocumentStatus | undefined {
  if (!isRecord(value) || typeof value.uri !== "string") {
    return undefined;
  }
  const state = DOCUMENT_STATES.find((known) => known === value.state);
  if (state === undefined) {
    return undefined;
  }
  return {
    uri: value.uri,
    state,
    ...(typeof value.message === "string" ? { message: value.message } : {}),
    ...(typeof value.done === "number" ? { done: value.done } : {}),
    ...(typeof value.total === "number" ? { total: value.total } : {}),
  };
}

/** Return the statistics in `value`; undefined if it is not one. Absent counts are 0. */
export function parseStatistics(value: unknown): Statistics | undefined {
  if (!isRecord(value) || typeof value.uri !== "string") {
    return undefined;
  }
  const count = (name: keyof Statistics): number => {
    const number = value[name];
    return typeof number === "number" ? number : 0;
  };
  return {
    uri: value.uri,
    version: typeof value.version === "number" ? value.version : null,
    verdicts: count("verdicts"),
    kept: count("kept"),
    replayed: count("replayed"),
    reproved: count("reproved"),
    solverCalls: count("solverCalls"),
    seconds: count("seconds"),
    killed: count("killed"),
    survived: count("survived"),
    unknown: count("unknown"),
    stillborn: count("stillborn"),
    equivalent: count("equivalent"),
  };
}

/** Return the arguments of `mutproof.showFindings`: a title and places. */
export function parseFindings(args: readonly unknown[]): Findings | undefined {
  const [title, places] = args;
  if (typeof title !== "string" || !Array.isArray(places)) {
    return undefined;
  }
  const findings = places.map(parseFinding);
  return findings.every((finding) => finding !== undefined) ? { title, findings } : undefined;
}

/** Return the arguments of `mutproof.showActions`: a file and a range. */
export function parsePlace(args: readonly unknown[]): Place | undefined {
  const [uri, range] = args;
  return typeof uri === "string" && isRange(range) ? { uri, range } : undefined;
}

/** Return the argument of `mutproof.showText`. */
export function parseShownText(value: unknown): ShownText | undefined {
  if (!isRecord(value) || typeof value.title !== "string") {
    return undefined;
  }
  const { title, text, left, right } = value;
  if (typeof text === "string") {
    const trace = parseSubject(value.trace);
    return { kind: "text", title, text, ...(trace === undefined ? {} : { trace }) };
  }
  if (typeof left === "string" && typeof right === "string") {
    return { kind: "diff", title, left, right };
  }
  return undefined;
}

/** Return the subject in `value`; undefined if it is not one. */
export function parseSubject(value: unknown): Subject | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const { uri, kind, name } = value;
  return typeof uri === "string" && typeof kind === "string" && typeof name === "string"
    ? { uri, kind, name }
    : undefined;
}

function parseFinding(value: unknown): Finding | undefined {
  if (!isRecord(value) || typeof value.uri !== "string" || !isRange(value.range)) {
    return undefined;
  }
  const { uri, range, label } = value;
  return { uri, range, ...(typeof label === "string" ? { label } : {}) };
}

/** Tell whether a value is a range. */
export function isRange(value: unknown): value is Range {
  return isRecord(value) && isPosition(value.start) && isPosition(value.end);
}

function isPosition(value: unknown): value is Position {
  return (
    isRecord(value) && typeof value.line === "number" && typeof value.character === "number"
  );
}

/** Tell whether a value is an object with fields. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
