import type { ResultsAction, ResultsPage } from "../../resultsPage.ts";
import { connect } from "../connection.ts";
import { button, element, main } from "../elements.ts";

export interface ToResults {
  readonly type: "page";
  readonly page: ResultsPage;
}

export interface FromResults {
  readonly type: "command";
  readonly command: ResultsAction;
}

const send = connect<ToResults, FromResults>(({ page }) => show(page));

// The live region stays in the page, so that screen readers announce what changes in it.
const headline = element("h2", { class: "headline" });
const message = element("p");
const status = element("div", { role: "status", "aria-live": "polite" }, headline, message);
const title = element("h1");
const details = element("div");
main().append(title, status, details);

function show(page: ResultsPage): void {
  title.textContent = page.title;
  title.hidden = !page.title;
  headline.textContent = page.headline;
  headline.className = `headline ${page.outcome}`;
  message.textContent = page.message;
  message.hidden = !page.message;
  details.replaceChildren(...actions(page), ...facts(page), ...lines(page), ...log(page), ...policy(page));
}

function actions(page: ResultsPage): Node[] {
  if (page.actions.length === 0) return [];
  const buttons = page.actions.map(({ command, label }) =>
    button(label, () => send({ type: "command", command })),
  );
  return [element("div", { class: "actions" }, ...buttons)];
}

function facts(page: ResultsPage): Node[] {
  if (page.facts.length === 0) return [];
  const rows = page.facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  return [element("dl", {}, ...rows)];
}

function lines(page: ResultsPage): Node[] {
  if (page.lines.length === 0) return [];
  const items = page.lines.map((line) => {
    const word = line.passed ? "passed" : "failed";
    const item = element("li", { class: word }, element("span", { class: "test" }, line.name), ` ${word}`);
    if (line.message) item.append(element("pre", {}, line.message));
    return item;
  });
  return [element("h3", {}, "Hidden tests"), element("ul", { class: "tests" }, ...items)];
}

function log(page: ResultsPage): Node[] {
  if (!page.log) return [];
  return [element("details", {}, element("summary", {}, "Log"), element("pre", { tabindex: "0" }, page.log))];
}

function policy(page: ResultsPage): Node[] {
  return page.policy ? [element("p", { class: "policy" }, page.policy)] : [];
}
