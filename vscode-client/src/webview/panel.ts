/**
 * Script of a panel's page: shows content, and tells the extension what the user does. Knows
 * attributes of the content (`data-act`, `data-step`), but not their meaning.
 */

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

const host = acquireVsCodeApi();
const content = document.getElementById("content") as HTMLElement;

window.addEventListener("message", ({ data }: MessageEvent<Record<string, unknown>>) => {
  if (data.kind === "content" && typeof data.html === "string") {
    replace(data.html, data.keep === true);
  } else if (data.kind === "stale") {
    document.getElementById("stale")?.removeAttribute("hidden");
  }
});

document.addEventListener("click", ({ target }) => {
  const found = target instanceof Element ? target.closest<HTMLElement>("[data-act], [data-step]") : null;
  if (found?.dataset.act !== undefined) {
    act(found.dataset.act, found);
  } else if (found?.dataset.step !== undefined && !(found instanceof HTMLTableElement)) {
    choose(Number(found.dataset.step));
    focusCell(found);
  }
});

document.addEventListener("keydown", (event) => {
  const cell = document.activeElement?.closest<HTMLElement>("td[data-step]");
  const moves = MOVES[event.key];
  if (moves === undefined || event.altKey || event.ctrlKey || event.metaKey || grid() === null) {
    return;
  }
  const [rows, steps] = moves;
  if (rows !== 0 && cell == null) {
    return;
  }
  event.preventDefault();
  const last = lastStep();
  const step = Math.min(last, Math.max(0, (steps === Infinity ? last : steps === -Infinity ? 0 : chosen() + steps)));
  choose(step);
  if (cell != null) {
    focusCell(neighbour(cell, rows, step) ?? cell);
  }
});

/** Rows and steps by which a key moves. */
const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

function act(name: string, element: HTMLElement): void {
  switch (name) {
    case "previous":
    case "next":
      choose(Math.min(lastStep(), Math.max(0, chosen() + (name === "next" ? 1 : -1))));
      break;
    case "all": {
      const all = element.getAttribute("aria-pressed") !== "true";
      element.setAttribute("aria-pressed", String(all));
      grid()?.toggleAttribute("data-narrow", !all);
      break;
    }
    case "reveal":
      host.postMessage({ kind: "reveal", index: Number(element.dataset.index) });
      break;
    case "export":
      host.postMessage({ kind: "export", format: element.dataset.format });
      break;
  }
}

function replace(html: string, keep: boolean): void {
  const scrolled = content.querySelector(".scroll");
  const [top, left] = keep && scrolled ? [scrolled.scrollTop, scrolled.scrollLeft] : [0, 0];
  const focused = keep ? document.activeElement?.id : undefined;
  content.innerHTML = html;
  content.removeAttribute("aria-busy");
  content.querySelector(".scroll")?.scrollTo(left, top);
  if (focused) {
    document.getElementById(focused)?.focus();
  }
  const first = grid();
  if (first?.dataset.step !== undefined) {
    choose(Number(first.dataset.step));
  }
}

/** Select a step, announce its description, and tell the extension. */
function choose(step: number): void {
  const table = grid();
  if (table === null) {
    return;
  }
  table.dataset.step = String(step);
  for (const marked of table.querySelectorAll(".chosen")) {
    marked.classList.remove("chosen");
    marked.removeAttribute("aria-current");
    if (marked instanceof HTMLTableCellElement) {
      marked.tabIndex = -1;
    }
  }
  const cells = table.querySelectorAll<HTMLElement>(`[data-step="${step}"]`);
  for (const cell of cells) {
    cell.classList.add("chosen");
  }
  const heading = cells[0];
  heading?.setAttribute("aria-current", "step");
  heading?.scrollIntoView({ block: "nearest", inline: "nearest" });
  // One cell of the grid can be reached with the Tab key.
  const reached = table.querySelector<HTMLElement>(`td[data-step="${step}"]`);
  if (reached !== null) {
    reached.tabIndex = 0;
  }
  const said = document.getElementById("said");
  if (said !== null) {
    said.textContent = heading?.dataset.said ?? "";
  }
  host.postMessage({ kind: "step", step });
}

function focusCell(cell: HTMLElement): void {
  if (cell instanceof HTMLTableCellElement && cell.tagName === "TD") {
    cell.tabIndex = 0;
    cell.focus();
  }
}

function neighbour(cell: HTMLElement, rows: number, step: number): HTMLElement | null {
  let row = cell.closest("tr");
  for (let left = Math.abs(rows); left > 0; ) {
    const next = (rows > 0 ? row?.nextElementSibling : row?.previousElementSibling) as
      | HTMLTableRowElement
      | null
      | undefined;
    if (next == null) {
      break;
    }
    row = next;
    left -= row.offsetParent === null ? 0 : 1; // hidden rows do not count
  }
  return row?.querySelector<HTMLElement>(`td[data-step="${step}"]`) ?? null;
}

function grid(): HTMLTableElement | null {
  return content.querySelector<HTMLTableElement>("table[data-step]");
}

function chosen(): number {
  return Number(grid()?.dataset.step ?? 0);
}

function lastStep(): number {
  return (grid()?.querySelectorAll("thead [data-step]").length ?? 1) - 1;
}

host.postMessage({ kind: "ready" });
