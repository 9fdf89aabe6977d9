import { button, element } from "./elements.ts";

const NUMBER = /^[−+-]?\d[\d.,]*( ?%)?$|^\d+(:\d\d)+$|^–$/;
/** What has a unit is in no order by its text. */
const WITH_UNIT = /^[−+-]?\d[\d.,]* \p{L}/u;

export function row(...cells: (Node | string)[]): HTMLTableRowElement {
  return element("tr", {}, ...cells.map((cell) => element("td", {}, cell)));
}

/** A table whose headings sort it; columns of numbers are right-aligned. */
export function table(headings: readonly string[], rows: readonly HTMLTableRowElement[]): HTMLTableElement {
  const body = element("tbody", {}, ...rows);
  const heads = headings.map((heading, column) => {
    const texts = rows.map((row) => row.cells[column]?.textContent ?? "");
    const isNumber = texts.length > 0 && texts.every((text) => NUMBER.test(text)) && texts.some((text) => text !== "–");
    if (isNumber) for (const row of rows) row.cells[column]?.classList.add("number");
    const isSortable = new Set(texts.filter(Boolean)).size > 1 && !texts.some((text) => WITH_UNIT.test(text));
    return element("th", { scope: "col", ...(isNumber && { class: "number" }) }, isSortable ? button(heading, () => sort(column, isNumber)) : heading);
  });
  const sort = (column: number, isNumber: boolean): void => {
    const way = heads[column]?.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const [at, head] of heads.entries()) {
      if (at === column) head.setAttribute("aria-sort", way === 1 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
    const text = (row: HTMLTableRowElement) => row.cells[column]?.textContent ?? "";
    const order = isNumber
      ? (one: string, other: string) => numberOf(one) - numberOf(other)
      : (one: string, other: string) => one.localeCompare(other, undefined, { numeric: true });
    body.append(...[...body.rows].sort((one, other) => way * order(text(one), text(other))));
  };
  return element("table", { class: "plain" }, element("thead", {}, element("tr", {}, ...heads)), body);
}

/** A number or a time of minutes and seconds; what has none comes first. */
function numberOf(text: string): number {
  if (text === "–") return -Number.MAX_VALUE;
  const parts = text.replace("−", "-").replaceAll(/[,% ]/g, "").split(":");
  return parts.reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** A table whose columns but the first are numbers. */
export function numberTable(headings: readonly string[], rows: readonly (readonly string[])[]): HTMLTableElement {
  const made = table(headings, rows.map((cells) => row(...cells)));
  for (const { cells } of made.rows) for (const cell of [...cells].slice(1)) cell.classList.add("number");
  return made;
}

/** A table that is wider than a narrow window is scrolled by itself, also by keyboard. */
export function scrolled(label: string, content: Node): HTMLElement {
  return element("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": label }, content);
}
