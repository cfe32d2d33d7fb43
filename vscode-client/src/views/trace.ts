/** Content of the trace panel, as HTML, and of a step in the editor; pure. */

import type { Course, Execution } from "./execution";
import { attributes, Html, html } from "./html";
import { waveform } from "./waveform";

const MOST_CELLS = 20_000;
const LEAST_ROWS = 20;
const NOTHING = new Html("");

/** Return the content of the panel. */
export function traceHtml(execution: Execution): Html {
  const rows = shownRows(execution);
  const hidden = execution.variables.length - rows.length;
  const beyond = rows.filter(({ course }) => !course.cone).length;
  const steps = Array.from({ length: execution.length }, (_, step) => step);
  return html`
<header>
<h1>${execution.title}</h1>
<p>${execution.about}</p>
<p id="stale" role="status"${attributes({ hidden: !execution.stale })}>The model has changed since.</p>
<div role="toolbar" aria-label="Execution">
<button data-act="previous">Previous step</button>
<button data-act="next">Next step</button>
${beyond > 0 ? html`<button data-act="all" aria-pressed="false">All variables (${rows.length})</button>` : NOTHING}
<button data-act="export" data-format="csv">Export CSV</button>
<button data-act="export" data-format="vcd">Export VCD</button>
</div>
<p id="said" role="status"></p>
</header>
<div class="scroll" role="region" aria-label="Values" tabindex="0">
<table role="grid" aria-label="${label(execution)}" data-step="${execution.step}"${attributes({ "data-narrow": beyond > 0 && beyond < rows.length })}>
<thead><tr><th scope="col">variable</th><th scope="col">course</th>${steps.map((step) => heading(execution, step))}</tr></thead>
<tbody>
${rows.map(({ course, index }) => row(execution, course, index))}
</tbody>
</table>
</div>
${execution.sides.length > 1 ? html`<p class="note">≠ marks a step at which they differ: above the model, below the mutant.</p>` : html`<p class="note">Values of the ${execution.sides[0]?.title ?? "model"}.</p>`}
${hidden > 0 ? html`<p class="note">${hidden} more variables; exported files have all.</p>` : NOTHING}
${execution.notes.map((note) => html`<p class="note">${note}</p>`)}`;
}

/** Return the description of a step for users: its position, and what differs there. */
export function said(execution: Execution, step: number): string {
  const differing = execution.variables.filter((course) => course.differing.includes(step));
  const names = differing.slice(0, 6).map(({ name }) => name);
  const more = differing.length - names.length;
  const place = `Step ${step}, the last is ${execution.length - 1}.`;
  if (execution.sides.length < 2) {
    return place;
  }
  if (names.length === 0) {
    return `${place} Nothing differs.`;
  }
  return `${place} Different: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

/** Values of a step that belong to one line of the model. */
export interface LineValues {
  /** 0-based line. */
  readonly line: number;
  readonly text: string;
  readonly differs: boolean;
}

/** Return the texts after the lines of the model for a step: `b = 3, mutant 4`. */
export function lineValues(execution: Execution, step: number): readonly LineValues[] {
  const lines = new Map<number, { texts: string[]; differs: boolean }>();
  for (const course of execution.variables) {
    const value = course.sides[0]?.values[step];
    if (!course.cone || course.range === undefined || value === undefined) {
      continue;
    }
    const differs = course.differing.includes(step);
    const known = lines.get(course.range.start.line) ?? { texts: [], differs: false };
    const other = course.sides[1]?.values[step];
    known.texts.push(`${course.name} = ${value}${differs ? `, mutant ${other}` : ""}`);
    known.differs ||= differs;
    lines.set(course.range.start.line, known);
  }
  return [...lines].map(([line, { texts, differs }]) => ({ line, text: texts.join(" · "), differs }));
}

/** Return the rows to show, as many as a page can hold; those of the cone come first. */
function shownRows(execution: Execution): readonly { course: Course; index: number }[] {
  const most = Math.max(LEAST_ROWS, Math.floor(MOST_CELLS / Math.max(1, execution.length)));
  return execution.variables
    .map((course, index) => ({ course, index }))
    .sort((left, right) => Number(right.course.cone) - Number(left.course.cone))
    .slice(0, most);
}

function label({ sides }: Execution): string {
  const titles = sides.map(({ title }) => title);
  return `${titles.join(" beside ")}: a row for each variable, a column for each step`;
}

function heading(execution: Execution, step: number): Html {
  const back = execution.sides.some(({ loop }) => loop === step);
  const marks = back ? html` <span title="the last step returns here">↻</span>` : NOTHING;
  return html`<th scope="col" data-step="${step}" data-said="${said(execution, step)}">${step}${marks}</th>`;
}

function row(execution: Execution, course: Course, index: number): Html {
  const kind = course.input ? "input" : "";
  const name = course.range
    ? html`<button class="link" data-act="reveal" data-index="${index}" title="Go to source">${course.name}</button>`
    : html`${course.name}`;
  const steps = Array.from({ length: execution.length }, (_, step) => step);
  return html`<tr class="${course.cone ? "cone" : "beyond"} ${kind}"><th scope="row">${name}</th>\
<td class="course">${waveform(course)}</td>${steps.map((step) => cell(course, step))}</tr>`;
}

function cell(course: Course, step: number): Html {
  const [left, right] = course.sides.map(({ values }) => values[step] ?? "-");
  if (course.differing.includes(step)) {
    // The label contains the visible text, as voice control needs.
    const words = `${course.name}, step ${step}: differs, model ${left}, mutant ${right}: ${left} ≠ ${right}`;
    return html`<td class="differs" data-step="${step}" tabindex="-1" aria-label="${words}">\
<span class="model">${left ?? ""}</span> <span class="mutant">≠ ${right ?? ""}</span></td>`;
  }
  const changed = step > 0 && course.sides[0]?.values[step - 1] !== left;
  const words = `${course.name}, step ${step}: ${left}`;
  return html`<td${attributes({ class: changed ? "changed" : false })} data-step="${step}" \
tabindex="-1" aria-label="${words}">${left ?? ""}</td>`;
}
