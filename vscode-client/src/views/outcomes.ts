/** Properties, elements and kept tests as tests, with their outcomes; pure. */

import type { Range } from "../protocol";
import {
  type Component,
  countsText,
  type Element,
  type KeptTest,
  type KeptTests,
  type Mutant,
  type Overview,
  type Property,
} from "./overview";

/** Outcome of a test; `open` if there is none for the current text; `outputs` are those that differ. */
export interface Outcome {
  readonly kind: "passed" | "failed" | "errored" | "open";
  readonly message: string;
  readonly outputs?: { readonly expected: string; readonly actual: string };
}

/** A test, or a group of tests; ids are unique in a file; `uri` is the file it is in, if another. */
export interface Case {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly range: Range;
  readonly outcome: Outcome | undefined;
  readonly cases: readonly Case[];
  readonly uri?: string;
}

/** Return the tests of a file: its properties, the elements of each node, and its kept tests. */
export function cases(overview: Overview, kept?: KeptTests): readonly Case[] {
  const [first] = overview.properties;
  const properties = overview.properties.map((property, index) => ofProperty(property, index));
  const group = first && {
    id: "properties",
    label: "Properties",
    description: "",
    range: first.range,
    outcome: undefined,
    cases: properties,
  };
  return [
    ...(group === undefined ? [] : [group]),
    ...overview.components.map(ofComponent),
    ...(kept === undefined || kept.tests.length === 0 ? [] : [ofSuite(kept)]),
  ];
}

/** Id of the group of kept tests. */
export const KEPT = "kept tests";

/** Return all tests without groups. */
export function leaves(found: readonly Case[]): readonly Case[] {
  return found.flatMap((one) => (one.outcome === undefined ? leaves(one.cases) : [one]));
}

/** Range of one element, the number of its killed mutants, and the mutants. */
export interface Covered {
  readonly label: string;
  readonly range: Range;
  readonly kills: number;
  readonly mutants: readonly { readonly label: string; readonly range: Range; readonly killed: boolean }[];
}

/** Return the coverage of each element by the mutants that count. */
export function covered(overview: Overview, mutants: readonly Mutant[]): readonly Covered[] {
  const counting = mutants.filter(({ status }) => ["killed", "gap", "survived", "unknown"].includes(status));
  return overview.components.flatMap(({ elements }) =>
    elements.map(({ label, range, counts: { killed } }) => ({
      label,
      range,
      kills: killed,
      mutants: counting
        .filter((mutant) => within(range, mutant.range))
        .map((mutant) => ({ label: mutant.label, range: mutant.range, killed: mutant.status === "killed" })),
    })),
  );
}

function ofProperty({ component, name, range, verdict, said, stale }: Property, index: number): Case {
  const id = `property ${component} ${name} ${index}`;
  return { id, label: name, description: said, range, outcome: outcomeOf(verdict, said, stale), cases: [] };
}

function ofComponent({ name, range, counts, elements }: Component): Case {
  return {
    id: `component ${name}`,
    label: name,
    description: countsText(counts),
    range,
    outcome: undefined,
    cases: elements.map(ofElement),
  };
}

function ofElement({ key, label, range, counts, stale }: Element): Case {
  const said = countsText(counts);
  return { id: `element ${key}`, label, description: said, range, outcome: ofCounts(), cases: [] };

  function ofCounts(): Outcome {
    if (stale || counts.pending > 0 || counts.total === 0) {
      return { kind: "open", message: said };
    }
    if (counts.survived > 0) {
      return { kind: "failed", message: `No property notices ${counts.survived} of the mutants: ${said}` };
    }
    return { kind: counts.unknown > 0 ? "errored" : "passed", message: said };
  }
}

function ofSuite({ uri, tests }: KeptTests): Case {
  const passed = tests.filter(({ outcome }) => outcome === "passed").length;
  return {
    id: KEPT,
    label: "Tests",
    description: `${passed}/${tests.length} pass`,
    range: line(0),
    outcome: undefined,
    cases: tests.map((test) => ofTest(test, uri)),
    uri,
  };
}

function ofTest({ name, line: number, said, outcome, message, expected, actual }: KeptTest, uri: string): Case {
  const kinds = { passed: "passed", failed: "failed" } as const;
  const outputs = expected === "" ? {} : { outputs: { expected, actual } };
  const found = { kind: kinds[outcome as keyof typeof kinds] ?? "errored", message, ...outputs };
  return { id: `test ${name}`, label: name, description: said, range: line(number), outcome: found, cases: [], uri };
}

function line(number: number): Range {
  return { start: { line: number, character: 0 }, end: { line: number, character: 0 } };
}

function outcomeOf(verdict: string, message: string, stale: boolean): Outcome {
  if (stale || verdict === "") {
    return { kind: "open", message };
  }
  const kinds = { proved: "passed", computed: "passed", falsified: "failed", vacuous: "failed" } as const;
  return { kind: kinds[verdict as keyof typeof kinds] ?? "errored", message };
}

function within(outer: Range, inner: Range): boolean {
  const before = (left: Range["start"], right: Range["start"]): boolean =>
    left.line < right.line || (left.line === right.line && left.character <= right.character);
  return before(outer.start, inner.start) && before(inner.end, outer.end);
}
