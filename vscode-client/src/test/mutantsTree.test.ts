import assert from "node:assert/strict";
import { test } from "node:test";
import {
  behaviourRows,
  componentRows,
  elementRows,
  FILTERS,
  type Filter,
  look,
  mutantRows,
  type Row,
  rowAt,
} from "../views/mutantsTree";
import { countsText, type Overview, parseMutants, parseOverview } from "../views/overview";

function range(first: number, last: number): object {
  return { start: { line: first, character: 0 }, end: { line: last, character: 9 } };
}

function element(label: string, first: number, last: number, counts: object): object {
  const places = { range: range(first, last), head: range(first, first) };
  return { key: `main equation ${label}`, label, counts, stale: false, cells: [], ...places };
}

const SENT = {
  version: 3,
  phase: "done",
  edited: false,
  properties: [
    {
      name: "ok",
      component: "main",
      range: range(9, 9),
      verdict: "proved",
      said: "proved (k-induction, k=1)",
      stale: false,
      kills: 5,
      traced: "",
    },
  ],
  components: [
    {
      name: "main",
      range: range(0, 0),
      counts: { killed: 5, survived: 2, gaps: 1, total: 7 },
      elements: [
        element("a", 2, 6, { killed: 5, total: 5 }),
        element("b", 4, 4, { survived: 2, gaps: 1, total: 2 }),
      ],
    },
    { name: "step", range: range(12, 12), counts: { killed: 1, total: 1 }, elements: [] },
  ],
};

const SURVIVORS = FILTERS[0] as Filter;
const ALL = FILTERS.find(({ id }) => id === "all") as Filter;

function overview(): Overview {
  const parsed = parseOverview(SENT);
  assert.ok(parsed);
  return parsed;
}

function mutant(name: string, status: string, behaviour = ""): object {
  return { mutant: name, label: name, status, said: "why", behaviour, range: range(4, 4), traced: true };
}

function component(filter: Filter): Row & { kind: "component" } {
  const [row] = componentRows(overview(), filter);
  assert.ok(row?.kind === "component");
  return row;
}

test("what is no overview is refused", () => {
  for (const value of [null, {}, { ...SENT, properties: [{}] }, { ...SENT, components: [5] }]) {
    assert.equal(parseOverview(value), undefined);
  }
  assert.deepEqual(parseMutants({}), []);
});

test("counts leave out what there is none of", () => {
  const counts = { killed: 1, survived: 3, unknown: 0, pending: 2, equivalent: 1, gaps: 2, total: 6 };
  assert.equal(countsText(counts), "1/6 killed · 2 gaps · 1 survives · 2 to decide · 1 equivalent");
});

test("only nodes and elements with something to show are there", () => {
  assert.deepEqual(componentRows(overview(), SURVIVORS).map(({ id }) => id), ["component main"]);
  assert.equal(componentRows(overview(), ALL).length, 2);
  const rows = elementRows(component(SURVIVORS), SURVIVORS);
  assert.deepEqual(rows.map((row) => look(row).label), ["b"]);
  assert.deepEqual(rows.map((row) => look(row).icon), ["warning"]);
  assert.equal(elementRows(component(ALL), ALL).length, 2);
});

test("gaps that are the same model are under one row", () => {
  const found = parseMutants([
    mutant("m1", "gap", "one"),
    mutant("m2", "gap", "two"),
    mutant("m3", "gap", "one"),
    mutant("m4", "killed"),
  ]);
  const rows = mutantRows(found, SURVIVORS, component(SURVIVORS));
  assert.deepEqual(rows.map(({ kind }) => kind), ["behaviour", "mutant"]);
  const [behaviour] = rows;
  assert.ok(behaviour?.kind === "behaviour");
  assert.match(look(behaviour).description, /^2 that are the same model/);
  assert.deepEqual(behaviourRows(behaviour).map((row) => look(row).label), ["m1", "m3"]);
  assert.equal(mutantRows(found, ALL, component(ALL)).length, 3);
});

test("every mutant is taken by one filter and by the one for all", () => {
  const statuses = ["gap", "survived", "killed", "unknown", "", "equivalent"];
  for (const status of statuses) {
    const [found] = parseMutants([mutant("m", status)]);
    assert.ok(found);
    assert.equal(FILTERS.filter(({ takes }) => takes(found)).length, 2, status);
  }
});

test("the row at a line is the innermost element, and has its node above it", () => {
  const row = rowAt(overview(), 4);
  assert.ok(row?.kind === "element");
  assert.equal(row.of.label, "b");
  assert.equal(row.parent.id, "component main");
  assert.equal(rowAt(overview(), 20), undefined);
});
