import { element } from "./elements.ts";

export function row(...cells: (Node | string)[]): HTMLTableRowElement {
  return element("tr", {}, ...cells.map((cell) => element("td", {}, cell)));
}

export function table(headings: readonly string[], rows: readonly HTMLTableRowElement[]): HTMLTableElement {
  const head = element("tr", {}, ...headings.map((heading) => element("th", { scope: "col" }, heading)));
  return element("table", { class: "plain" }, element("thead", {}, head), element("tbody", {}, ...rows));
}
