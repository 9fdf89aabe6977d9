import { element } from "./elements.ts";

export function row(...cells: (Node | string)[]): HTMLTableRowElement {
  return element("tr", {}, ...cells.map((cell) => element("td", {}, cell)));
}

export function table(headings: readonly string[], rows: readonly HTMLTableRowElement[]): HTMLTableElement {
  const head = element("tr", {}, ...headings.map((heading) => element("th", { scope: "col" }, heading)));
  return element("table", { class: "plain" }, element("thead", {}, head), element("tbody", {}, ...rows));
}

/** A table whose columns but the first are numbers. */
export function numberTable(headings: readonly string[], rows: readonly (readonly string[])[]): HTMLTableElement {
  const made = table(headings, rows.map((cells) => row(...cells)));
  for (const { cells } of made.rows) for (const cell of [...cells].slice(1)) cell.classList.add("number");
  return made;
}
