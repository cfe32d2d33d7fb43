/** Verdicts of a whole file as sent by the server: properties, nodes, elements, mutants. */

import { isRange, isRecord, type Range } from "../protocol";

/** Method of the request for an {@link Overview}. */
export const OVERVIEW_METHOD = "mutproof/overview";

/** Method of the request for the {@link Mutant}s of an element. */
export const MUTANTS_METHOD = "mutproof/mutants";

/** Method of the request for the {@link KeptTests} of a file. */
export const KEPT_TESTS_METHOD = "mutproof/tests";

/** Numbers of mutants by status; equivalent ones are in no other number. */
export interface Counts {
  readonly killed: number;
  readonly survived: number;
  readonly unknown: number;
  readonly pending: number;
  readonly equivalent: number;
  readonly gaps: number;
  readonly total: number;
}

/** A property; `verdict` is empty while unknown, `traced` names the subject of an execution. */
export interface Property {
  readonly name: string;
  readonly component: string;
  readonly range: Range;
  readonly verdict: string;
  readonly said: string;
  readonly stale: boolean;
  readonly kills: number;
  readonly traced: string;
}

/** An element's mark (MUST, MAY, core or empty) for a property, and the kills of its mutants. */
export interface Cell {
  readonly property: number;
  readonly mark: string;
  readonly kills: number;
}

/** An element of the model. */
export interface Element {
  readonly key: string;
  readonly label: string;
  readonly range: Range;
  readonly head: Range;
  readonly counts: Counts;
  readonly stale: boolean;
  readonly cells: readonly Cell[];
}

/** A node or module. */
export interface Component {
  readonly name: string;
  readonly range: Range;
  readonly counts: Counts;
  readonly elements: readonly Element[];
}

/** All verdicts of a file. */
export interface Overview {
  readonly phase: string;
  /** Whether the text was edited since it was analysed. */
  readonly edited: boolean;
  readonly properties: readonly Property[];
  readonly components: readonly Component[];
}

/** A mutant; gaps with the same `behaviour` are the same model. */
export interface Mutant {
  readonly mutant: string;
  readonly label: string;
  readonly operator: string;
  readonly range: Range;
  readonly status: string;
  readonly said: string;
  readonly stale: boolean;
  readonly behaviour: string;
  readonly traced: boolean;
}

/** A test of the suite beside a file, at a 0-based line of it; outputs that differ, one to a line. */
export interface KeptTest {
  readonly name: string;
  readonly line: number;
  readonly said: string;
  readonly outcome: string;
  readonly message: string;
  readonly expected: string;
  readonly actual: string;
}

/** The suite beside a file, and how its tests end on the last text with a meaning. */
export interface KeptTests {
  readonly uri: string;
  readonly tests: readonly KeptTest[];
}

/** Return the overview in `value`; undefined if it is not one. */
export function parseOverview(value: unknown): Overview | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const properties = each(value.properties, parseProperty);
  const components = each(value.components, parseComponent);
  if (properties === undefined || components === undefined) {
    return undefined;
  }
  return { phase: text(value.phase), edited: value.edited === true, properties, components };
}

/** Return the mutants in `value`; empty if it is not a list of mutants. */
export function parseMutants(value: unknown): readonly Mutant[] {
  return each(value, parseMutant) ?? [];
}

/** Return the tests in `value`; undefined if it holds none. */
export function parseKeptTests(value: unknown): KeptTests | undefined {
  const tests = isRecord(value) ? each(value.tests, parseKeptTest) : undefined;
  return isRecord(value) && tests !== undefined ? { uri: text(value.uri), tests } : undefined;
}

/** Return counts as shown to users: `3/8 killed · 5 gaps`. */
export function countsText(counts: Counts): string {
  const parts = [`${counts.killed}/${counts.total} killed`];
  if (counts.gaps > 0) {
    parts.push(`${counts.gaps} gap${counts.gaps === 1 ? "" : "s"}`);
  }
  const others = counts.survived - counts.gaps;
  for (const [count, word] of [
    [others, others === 1 ? "survives" : "survive"],
    [counts.unknown, "unknown"],
    [counts.pending, "to decide"],
    [counts.equivalent, "equivalent"],
  ] as const) {
    if (count > 0) {
      parts.push(`${count} ${word}`);
    }
  }
  return parts.join(" · ");
}

/** Tell whether a range holds a position. */
export function holds({ start, end }: Range, line: number): boolean {
  return start.line <= line && line <= end.line;
}

function parseProperty(value: Record<string, unknown>): Property | undefined {
  if (!isRange(value.range)) {
    return undefined;
  }
  return {
    name: text(value.name),
    component: text(value.component),
    range: value.range,
    verdict: text(value.verdict),
    said: text(value.said),
    stale: value.stale === true,
    kills: count(value.kills),
    traced: text(value.traced),
  };
}

function parseComponent(value: Record<string, unknown>): Component | undefined {
  const elements = each(value.elements, parseElement);
  if (!isRange(value.range) || elements === undefined) {
    return undefined;
  }
  return { name: text(value.name), range: value.range, counts: parseCounts(value.counts), elements };
}

function parseElement(value: Record<string, unknown>): Element | undefined {
  const cells = each(value.cells, ({ property, mark, kills }) => ({
    property: count(property),
    mark: text(mark),
    kills: count(kills),
  }));
  if (!isRange(value.range) || !isRange(value.head) || cells === undefined) {
    return undefined;
  }
  return {
    key: text(value.key),
    label: text(value.label),
    range: value.range,
    head: value.head,
    counts: parseCounts(value.counts),
    stale: value.stale === true,
    cells,
  };
}

function parseKeptTest(value: Record<string, unknown>): KeptTest | undefined {
  if (typeof value.name !== "string") {
    return undefined;
  }
  return {
    name: value.name,
    line: count(value.line),
    said: text(value.said),
    outcome: text(value.outcome),
    message: text(value.message),
    expected: text(value.expected),
    actual: text(value.actual),
  };
}

function parseMutant(value: Record<string, unknown>): Mutant | undefined {
  if (!isRange(value.range) || typeof value.mutant !== "string") {
    return undefined;
  }
  return {
    mutant: value.mutant,
    label: text(value.label),
    operator: text(value.operator),
    range: value.range,
    status: text(value.status),
    said: text(value.said),
    stale: value.stale === true,
    behaviour: text(value.behaviour),
    traced: value.traced === true,
  };
}

function parseCounts(value: unknown): Counts {
  const counts = isRecord(value) ? value : {};
  return {
    killed: count(counts.killed),
    survived: count(counts.survived),
    unknown: count(counts.unknown),
    pending: count(counts.pending),
    equivalent: count(counts.equivalent),
    gaps: count(counts.gaps),
    total: count(counts.total),
  };
}

function each<Result>(
  value: unknown,
  parse: (item: Record<string, unknown>) => Result | undefined,
): readonly Result[] | undefined {
  if (!Array.isArray(value)) {
    return undefined;
  }
  const found = value.map((item) => (isRecord(item) ? parse(item) : undefined));
  return found.every((item) => item !== undefined) ? found : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
