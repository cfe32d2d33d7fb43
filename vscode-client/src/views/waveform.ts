/** Small diagrams of the course of a number or a truth value, in SVG. */

import type { Course } from "./execution";
import { Html, html } from "./html";

const STEP = 8;
const HEIGHT = 18;
const MARGIN = 2;
const MOST_STEPS = 60;

/** Return the diagram of a variable, one line for each side; empty without numbers. */
export function waveform(course: Course): Html {
  const sides = course.sides.map(({ numbers }) => numbers.slice(0, MOST_STEPS));
  const known = sides.flat().filter((number) => number !== null);
  const least = Math.min(...known);
  const most = Math.max(...known);
  if (known.length === 0 || !Number.isFinite(most - least)) {
    return new Html("");
  }
  const length = Math.max(...sides.map((numbers) => numbers.length));
  const lines = sides.map(
    (numbers, side) => html`<path class="wave side${side}" d="${path(numbers, least, most)}"/>`,
  );
  const words = course.truth ? "true or false over the steps" : `from ${least} to ${most}`;
  return html`<svg role="img" aria-label="${course.name}: ${words}" width="${length * STEP}" \
height="${HEIGHT}" viewBox="0 0 ${length * STEP} ${HEIGHT}">${lines.reverse()}</svg>`;
}

/** Return the diagram of one row of numbers between two bounds. */
export function line(numbers: readonly (number | null)[], least: number, most: number, label: string): Html {
  const width = numbers.length * STEP;
  return html`<svg role="img" aria-label="${label}" width="${width}" height="${HEIGHT}" \
viewBox="0 0 ${width} ${HEIGHT}"><path class="wave side0" d="${path(numbers, least, most)}"/></svg>`;
}

/** Return the path of a step function; steps without a value leave gaps. */
function path(numbers: readonly (number | null)[], least: number, most: number): string {
  const parts: string[] = [];
  let pen = false;
  numbers.forEach((number, step) => {
    if (number === null) {
      pen = false;
      return;
    }
    const share = most === least ? 0.5 : (number - least) / (most - least);
    const height = HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN);
    const y = Math.round(10 * height) / 10;
    parts.push(`${pen ? "L" : "M"}${step * STEP} ${y}H${(step + 1) * STEP}`);
    pen = true;
  });
  return parts.join("");
}
