"use strict";
const leading = (cell) => {
  const found = /^[\s<]*(-?[\d,]*\.?\d+)/.exec(cell.textContent.replace("−", "-"));
  return found ? Number(found[1].replaceAll(",", "")) : null;
};
const compare = (first, second) => {
  const [a, b] = [leading(first), leading(second)];
  if (a !== null && b !== null) return a - b;
  if (a !== null || b !== null) return a !== null ? -1 : 1;
  return first.textContent.localeCompare(second.textContent);
};
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((a, b) => compare(a.cells[place], b.cells[place]) * (up ? 1 : -1));
      body.append(...rows);
    });
  });
}
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
