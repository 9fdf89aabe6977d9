"use strict";
const PAGE = 25; // Rows; shorter tables are shown whole.
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
const made = (name, properties, ...inside) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...inside);
  return element;
};

/** Shows a long table page by page, with a search over all of its rows; returns what shows the first page again. */
const paged = (table) => {
  const rows = () => [...table.tBodies[0].rows];
  const total = rows().length;
  if (total <= PAGE) return () => {};
  const title = table.caption.textContent;
  let page = 0;
  let all = false;
  const search = made("input", { type: "search", autocomplete: "off" });
  const says = made("span", { className: "rows" });
  says.setAttribute("role", "status");
  const back = made("button", { type: "button", textContent: "Previous" });
  const on = made("button", { type: "button", textContent: "Next" });
  const whole = made("button", { type: "button", textContent: "Show all" });
  for (const button of [back, on]) button.setAttribute("aria-label", `${button.textContent} rows of ${title}`);
  whole.setAttribute("aria-label", `Show all rows of ${title}`);
  whole.setAttribute("aria-pressed", "false");
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows().filter((row) => {
      const text = row.textContent.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const size = all ? Math.max(found.length, 1) : PAGE;
    page = Math.min(page, Math.max(0, Math.ceil(found.length / size) - 1));
    const shown = new Set(found.slice(page * size, (page + 1) * size));
    table.setAttribute("aria-rowcount", String(found.length + 1));
    rows().forEach((row) => (row.hidden = !shown.has(row)));
    found.forEach((row, place) => row.setAttribute("aria-rowindex", String(place + 2)));
    back.disabled = page === 0;
    on.disabled = (page + 1) * size >= found.length;
    const of = words.length ? `${found.length.toLocaleString("en")} found of ` : "";
    const range = found.length ? `Rows ${page * size + 1} to ${page * size + shown.size}, ` : "No row, ";
    says.textContent = `${range}${of}${total.toLocaleString("en")}${of ? "" : " in all"}`;
  };
  const first = () => {
    page = 0;
    show();
  };
  search.addEventListener("input", first);
  back.addEventListener("click", () => (page--, show()));
  on.addEventListener("click", () => (page++, show()));
  whole.addEventListener("click", () => {
    all = !all;
    whole.setAttribute("aria-pressed", String(all));
    first();
  });
  search.setAttribute("aria-label", `Search ${title}`);
  const bar = made("div", { className: "pages" }, made("label", {}, "Search ", search), back, on, whole, says);
  table.closest(".wide").before(bar);
  show();
  return first;
};

for (const table of document.querySelectorAll("table")) {
  const first = paged(table);
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = made("button", { type: "button", textContent: head.textContent });
    head.replaceChildren(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((a, b) => compare(a.cells[place], b.cells[place]) * (up ? 1 : -1));
      body.append(...rows);
      first();
    });
  });
}
const folds = [...document.querySelectorAll("details.fold")];
/** Opens what an address leads into. */
const openTarget = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const own = target.querySelector(":scope > details.fold");
  if (own) own.open = true;
};
addEventListener("hashchange", openTarget);
openTarget();
if (folds.length) {
  const all = made("button", { type: "button", textContent: "Open all sections" });
  all.addEventListener("click", () => {
    const opens = folds.some((fold) => !fold.open);
    for (const fold of folds) fold.open = opens;
    all.textContent = opens ? "Fold all sections" : "Open all sections";
  });
  document.querySelector("header").append(made("p", { className: "folds" }, all));
}

// The link of the section that is read is marked, and in view.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const seen = new Set();
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](target.id);
    const current = [...links.keys()].find((id) => seen.has(id));
    for (const [id, link] of links) {
      if (id !== current) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        const list = link.closest("ul");
        list.scrollTo({ left: link.offsetLeft - list.offsetLeft - 40 });
      }
    }
  },
  { rootMargin: "-60px 0px -50% 0px" },
);
for (const section of document.querySelectorAll("main > section")) watcher.observe(section);

addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
