/** Rows of the view of mutants: node, element, behaviour, mutant; pure. */

import type { Range } from "../protocol";
import { type Component, type Counts, countsText, type Element, holds, type Mutant, type Overview } from "./overview";

/** Which mutants are shown. */
export interface Filter {
  readonly id: string;
  readonly title: string;
  readonly count: (counts: Counts) => number;
  readonly takes: (mutant: Mutant) => boolean;
}

/** All filters, the default first. */
export const FILTERS: readonly Filter[] = [
  {
    id: "survivors",
    title: "Gaps and other survivors",
    count: ({ survived }) => survived,
    takes: ({ status }) => status === "gap" || status === "survived",
  },
  { id: "killed", title: "Killed", count: ({ killed }) => killed, takes: is("killed") },
  {
    id: "open",
    title: "Unknown or to decide",
    count: ({ unknown, pending }) => unknown + pending,
    takes: ({ status }) => status === "unknown" || status === "",
  },
  {
    id: "equivalent",
    title: "Equivalent",
    count: ({ equivalent }) => equivalent,
    takes: is("equivalent"),
  },
  {
    id: "all",
    title: "All mutants",
    count: ({ total, equivalent }) => total + equivalent,
    takes: ({ status }) => status !== "stillborn",
  },
];

/** A row of the view. */
export type Row =
  | { readonly kind: "component"; readonly id: string; readonly of: Component }
  | { readonly kind: "element"; readonly id: string; readonly of: Element; readonly parent: Row }
  | {
      readonly kind: "behaviour";
      readonly id: string;
      readonly mutants: readonly Mutant[];
      readonly parent: Row;
    }
  | { readonly kind: "mutant"; readonly id: string; readonly of: Mutant; readonly parent: Row };

/** Return the rows of the nodes that have something to show. */
export function componentRows(overview: Overview, filter: Filter): readonly Row[] {
  return overview.components
    .filter(({ counts }) => filter.count(counts) > 0)
    .map((of) => ({ kind: "component", id: `component ${of.name}`, of }));
}

/** Return the rows of the elements of a node that have something to show. */
export function elementRows(parent: Row & { kind: "component" }, filter: Filter): readonly Row[] {
  return parent.of.elements
    .filter(({ counts }) => filter.count(counts) > 0)
    .map((of) => ({ kind: "element", id: `element ${of.key}`, of, parent }));
}

/** Return the rows of mutants, with gaps that are the same model under one row. */
export function mutantRows(mutants: readonly Mutant[], filter: Filter, parent: Row): readonly Row[] {
  const groups = new Map<string, Mutant[]>();
  for (const mutant of mutants.filter(filter.takes)) {
    const group = mutant.behaviour || mutant.mutant;
    groups.set(group, [...(groups.get(group) ?? []), mutant]);
  }
  return [...groups].flatMap(([name, alike]): readonly Row[] =>
    alike.length === 1
      ? alike.map((of) => mutantRow(of, parent))
      : [{ kind: "behaviour", id: `${parent.id} behaviour ${name}`, mutants: alike, parent }],
  );
}

/** Return the rows under a behaviour. */
export function behaviourRows(parent: Row & { kind: "behaviour" }): readonly Row[] {
  return parent.mutants.map((of) => mutantRow(of, parent));
}

/** Return the row of the element on a line, the shortest if there are several. */
export function rowAt(overview: Overview, line: number): Row | undefined {
  const found: (Row & { kind: "element" })[] = [];
  for (const of of overview.components) {
    const parent: Row = { kind: "component", id: `component ${of.name}`, of };
    for (const element of of.elements) {
      if (holds(element.range, line)) {
        found.push({ kind: "element", id: `element ${element.key}`, of: element, parent });
      }
    }
  }
  const height = ({ of: { range } }: Row & { kind: "element" }) => range.end.line - range.start.line;
  return found.sort((left, right) => height(left) - height(right))[0];
}

/** Appearance of a row. */
export interface Look {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  readonly range: Range;
}

/** Return the appearance of a row. */
export function look(row: Row): Look {
  switch (row.kind) {
    case "component": {
      const { name, counts, range } = row.of;
      return { label: name, description: countsText(counts), icon: icon(counts), range };
    }
    case "element": {
      const { label, counts, head, stale } = row.of;
      const description = `${stale ? "stale · " : ""}${countsText(counts)}`;
      return { label, description, icon: icon(counts), range: head };
    }
    case "behaviour": {
      const [first] = row.mutants as readonly [Mutant];
      const description = `${row.mutants.length} that are the same model · ${first.said}`;
      return { label: first.label, description, icon: "layers", range: first.range };
    }
    case "mutant": {
      const { label, status, said, stale, range } = row.of;
      const words = [stale ? "stale" : "", status || "to decide", said];
      return { label, description: words.filter(Boolean).join(" · "), icon: ICONS[status] ?? "circle-outline", range };
    }
  }
}

const ICONS: Readonly<Record<string, string>> = {
  killed: "pass",
  gap: "warning",
  survived: "warning",
  unknown: "question",
  equivalent: "info",
  ignored: "circle-slash",
};

function icon(counts: Counts): string {
  if (counts.survived > 0) {
    return "warning";
  }
  return counts.pending + counts.unknown > 0 || counts.killed === 0 ? "circle-outline" : "pass";
}

function mutantRow(of: Mutant, parent: Row): Row {
  return { kind: "mutant", id: `mutant ${of.mutant}`, of, parent };
}

function is(wanted: string): (mutant: Mutant) => boolean {
  return ({ status }) => status === wanted;
}
