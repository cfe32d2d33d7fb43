/** Content of the coverage panel: the elements that each property needs and notices; pure. */

import { attributes, Html, html } from "./html";
import { type Cell, type Component, type Counts, countsText, type Element, holds, type Overview } from "./overview";
import { line } from "./waveform";

const NOTHING = new Html("");
const MOST_RUNS = 50;

/** Scores of the nodes after one run, in percent of the mutants that count. */
export interface RunScores {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly scores: Readonly<Record<string, number>>;
}

/** Return a history with the scores of a run added, unless they are the last ones. */
export function withRun(history: readonly RunScores[], overview: Overview, time: number): readonly RunScores[] {
  const scores: Record<string, number> = {};
  for (const { name, counts } of overview.components) {
    const value = score(counts);
    if (value !== undefined) {
      scores[name] = value;
    }
  }
  const last = history.at(-1)?.scores;
  if (Object.keys(scores).length === 0 || JSON.stringify(last) === JSON.stringify(scores)) {
    return history;
  }
  return [...history, { time, scores }].slice(-MOST_RUNS);
}

/** Return the share of killed mutants in percent; undefined while some are undecided. */
export function score({ killed, survived, unknown, pending }: Counts): number | undefined {
  const decided = killed + survived + unknown;
  return pending > 0 || decided === 0 ? undefined : (100 * killed) / decided;
}

/** Return the targets of the panel's links, in the order of their numbers. */
export function places(overview: Overview): readonly (Element["range"])[] {
  return [
    ...overview.properties.map(({ range }) => range),
    ...overview.components.flatMap(({ range, elements }) => [range, ...elements.map(({ head }) => head)]),
  ];
}

/** Return the content of the panel, with the row of a line of the model marked. */
export function coverageHtml(
  title: string,
  overview: Overview,
  history: readonly RunScores[],
  cursor: number | undefined,
): Html {
  let index = overview.properties.length;
  const groups = overview.components.map((component) => {
    const first = index;
    index += 1 + component.elements.length;
    return group(component, overview, history, first, cursor);
  });
  const stale = overview.edited || overview.components.some(({ elements }) => elements.some((e) => e.stale));
  return html`
<header>
<h1>${title}</h1>
<p>Which element each property needs (MUST: in every core, MAY: in some), and how many of its mutants it kills.</p>
<p id="stale" role="status"${attributes({ hidden: !stale })}>The model has changed since.</p>
</header>
${overview.components.length === 0 ? html`<p>Nothing was decided yet.</p>` : NOTHING}
<div class="scroll" role="region" aria-label="Coverage" tabindex="0">
<table aria-label="Elements and properties">
<thead><tr><th scope="col">element</th><th scope="col">mutants</th>${overview.properties.map(
    ({ name, said, stale: old }, number) =>
      html`<th scope="col"><button class="link" id="link${number}" data-act="reveal" data-index="${number}" title="${said}">${name}</button>${old ? html` <span class="note">stale</span>` : NOTHING}</th>`,
  )}</tr></thead>
${groups}
</table>
</div>`;
}

function group(
  { name, counts, elements }: Component,
  { properties }: Overview,
  history: readonly RunScores[],
  index: number,
  cursor: number | undefined,
): Html {
  const runs = history.map(({ scores }) => scores[name] ?? null);
  const now = score(counts);
  const shown = now === undefined ? "to decide" : `score ${now.toFixed(0)} %`;
  return html`<tbody><tr class="component"><th scope="rowgroup">${link(name, index)}</th>\
<td>${shown} · ${countsText(counts)}</td><td colspan="${Math.max(1, properties.length)}">${
    runs.length > 1 ? line(runs, 0, 100, `score of ${name} over ${runs.length} runs`) : NOTHING
  }</td></tr>
${elements.map((element, number) => row(element, properties.length, index + 1 + number, cursor))}</tbody>`;
}

function row(element: Element, properties: number, index: number, cursor: number | undefined): Html {
  const current = cursor !== undefined && holds(element.range, cursor);
  const cells = Array.from({ length: properties }, (_, number) =>
    cell(element.cells.find(({ property }) => property === number)),
  );
  return html`<tr${attributes({ class: current && "chosen", "aria-current": current && "true" })}>\
<th scope="row">${link(element.label, index)}</th><td>${countsText(element.counts)}</td>${cells}</tr>`;
}

function cell(found: Cell | undefined): Html {
  const kills = found?.kills ?? 0;
  const parts = [found?.mark ?? "", kills > 0 ? `${kills} kill${kills === 1 ? "" : "s"}` : ""];
  const text = parts.filter(Boolean).join(" · ");
  return html`<td${attributes({ class: found?.mark === "MUST" && "must" })}>${text || "–"}</td>`;
}

function link(label: string, index: number): Html {
  return html`<button class="link" id="link${index}" data-act="reveal" data-index="${index}" title="Go to source">${label}</button>`;
}
