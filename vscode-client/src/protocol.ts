/**
 * What client and server say to each other beyond the Language Server Protocol: notifications
 * about progress, and the arguments of the commands that lenses, hovers and actions carry.
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

/** Command behind the last entry of a menu; the server offers it to clients that announce it. */
export const SHOW_ACTIONS = "mutproof.showActions";

/** Kinds of the server's code actions; of kinds as fine as these it answers all there are. */
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

/** What the server is doing with one document. */
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
  readonly reused: number;
  readonly replayed: number;
  readonly reproved: number;
  readonly solverCalls: number;
  readonly seconds: number;
  readonly killed: number;
  readonly survived: number;
  readonly unknown: number;
  readonly stillborn: number;
  /** Those of the survivors that are proved equivalent to the model. */
  readonly equivalent: number;
}

/** Range in a file. */
export interface Place {
  readonly uri: string;
  readonly range: Range;
}

/** One place that a lens leads to. */
export interface Finding extends Place {
  readonly label?: string;
}

/** What `mutproof.showFindings` shows. */
export interface Findings {
  readonly title: string;
  readonly findings: readonly Finding[];
}

/** What has an execution: a mutant, a property or a fault of a file. */
export interface Subject {
  readonly uri: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * What `mutproof.showText` shows: one text, or two side by side. A text may be that of an
 * execution, which `trace` names.
 */
export type ShownText =
  | {
      readonly kind: "text";
      readonly title: string;
      readonly text: string;
      readonly trace?: Subject;
    }
  | { readonly kind: "diff"; readonly title: string; readonly left: string; readonly right: string };

/** Return the status in `value`, or undefined if it is none. */
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

/** Return the statistics in `value`, or undefined if it is none; absent counts are 0. */
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
    reused: count("reused"),
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

/** Return what to show for the arguments of `mutproof.showFindings`: a title and places. */
export function parseFindings(args: readonly unknown[]): Findings | undefined {
  const [title, places] = args;
  if (typeof title !== "string" || !Array.isArray(places)) {
    return undefined;
  }
  const findings = places.map(parseFinding);
  return findings.every((finding) => finding !== undefined) ? { title, findings } : undefined;
}

/** Return the place that the arguments of `mutproof.showActions` name: a file and a range. */
export function parsePlace(args: readonly unknown[]): Place | undefined {
  const [uri, range] = args;
  return typeof uri === "string" && isRange(range) ? { uri, range } : undefined;
}

/** Return what to show for the argument of `mutproof.showText`. */
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

/** Return the subject in `value`, or undefined if it is none. */
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
