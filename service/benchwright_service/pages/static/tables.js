"use strict";
// Sorts and filters tables whose rows are all on the page. Those that go over several pages the service sorts.

const FEWEST_FILTERED = 8;
const NUMBER = /^[+−-]?[\d,]*\.?\d+(?=$|\s|:)/;

/** What a cell is sorted by: a moment, a number, or its text. Nothing, and a dash, come last in both directions. */
const keyOf = (cell) => {
  const time = cell.querySelector("time");
  if (time) return Date.parse(time.dateTime);
  const text = cell.textContent.trim();
  if (!text || text === "–") return null;
  const number = NUMBER.exec(text);
  return number ? Number(number[0].replaceAll(",", "").replace("−", "-")) : text;
};

const compare = (one, two) =>
  typeof one === "number" && typeof two === "number"
    ? one - two
    : String(one).localeCompare(String(two), undefined, { numeric: true, sensitivity: "base" });

const sortBy = (table, column, head) => {
  const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  const body = table.tBodies[0];
  const lines = [...body.rows].map((row) => [keyOf(row.cells[column]), row]);
  lines.sort(([one], [two]) => {
    if (one === null || two === null) return (one === null) - (two === null);
    return direction * compare(one, two);
  });
  body.append(...lines.map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
};

const addFilter = (table) => {
  const rows = [...table.tBodies[0].rows];
  const filter = document.createElement("p");
  filter.className = "filter";
  const label = document.createElement("label");
  label.textContent = "Filter ";
  const field = document.createElement("input");
  field.type = "search";
  field.autocomplete = "off";
  label.append(field);
  const status = document.createElement("span");
  status.setAttribute("role", "status");
  filter.append(label, status);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    const shown = rows.filter((row) => {
      row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      return !row.hidden;
    });
    status.textContent = field.value ? `${shown.length} of ${rows.length}` : "";
  });
  (table.closest(".wide") ?? table).before(filter);
};

for (const table of document.querySelectorAll("table[data-sortable]")) {
  const rows = table.tBodies[0].rows;
  if (rows.length < 2) continue;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    // A column of buttons has no order.
    if (head.querySelector(".only-read")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sortBy(table, column, head));
  });
  if (rows.length >= FEWEST_FILTERED) addFilter(table);
}
