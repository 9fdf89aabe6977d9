import { t } from "@vscode/l10n";
import type { ResultsAction, ResultsPage } from "../../runs/resultsPage.ts";
import { connect } from "../connection.ts";
import { button, element, linkButton, main, withCode } from "../elements.ts";

export interface ToResults {
  readonly type: "page";
  readonly page: ResultsPage;
}

export type FromResults =
  | { readonly type: "command"; readonly command: ResultsAction }
  /** Shows a line of a file of the workspace. */
  | { readonly type: "open"; readonly path: string; readonly line: number };

const send = connect<ToResults, FromResults>(({ page }) => show(page));

// The live region stays in the page, so that screen readers announce what changes in it.
const headline = element("h2", { class: "headline" });
const message = element("p");
const status = element("div", { role: "status", "aria-live": "polite" }, headline, message);
const title = element("h1");
const hints = element("div", { role: "log", "aria-label": t("Hints") });
const details = element("div");
main().append(title, status, hints, details);

function show(page: ResultsPage): void {
  title.textContent = page.title;
  title.hidden = !page.title;
  headline.textContent = page.headline;
  headline.className = `headline ${page.outcome}`;
  headline.dataset.sign = page.sign;
  // What is known of older files is still there to be read, and looks like it.
  details.className = page.outcome === "stale" ? "stale" : "";
  message.replaceChildren(...withCode(page.message));
  message.hidden = !page.message;
  const taken = hintSection(page);
  // What stays is not announced again.
  if (taken.length !== hints.childElementCount || hints.dataset.of !== page.title) hints.replaceChildren(...taken);
  hints.dataset.of = page.title;
  details.replaceChildren(
    ...actions(page),
    ...compiler(page),
    ...failed(page),
    ...passed(page),
    ...facts(page),
    ...log(page),
    ...policy(page),
  );
}

function actions(page: ResultsPage): Node[] {
  if (page.actions.length === 0) return [];
  const buttons = page.actions.map(({ command, label }) =>
    button(label, () => send({ type: "command", command })),
  );
  return [element("div", { class: "actions" }, ...buttons)];
}

function hintSection(page: ResultsPage): Node[] {
  return page.hints.map(([heading, text]) =>
    element("section", {}, element("h3", {}, heading), ...text.split(/\n{2,}/).map(paragraph)),
  );
}

function paragraph(text: string): Node {
  return element("p", {}, ...withCode(text));
}

function facts(page: ResultsPage): Node[] {
  if (page.facts.length === 0) return [];
  const rows = page.facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  return [element("dl", {}, ...rows)];
}

function compiler(page: ResultsPage): Node[] {
  if (page.compiler.length === 0) return [];
  const items = page.compiler.map(({ path, line, text }) => {
    const place = linkButton(`${path}:${line}`, () => send({ type: "open", path, line }));
    return element("li", { class: "failed" }, place, element("span", { class: "said" }, text));
  });
  return [element("h3", {}, t("What the compiler says")), element("ul", { class: "tests" }, ...items)];
}

function failed(page: ResultsPage): Node[] {
  if (page.failed.length === 0) return [];
  const items = page.failed.map(({ name, message, values, simTime }) => {
    const when = ` ${simTime ? t("failed after {0}", simTime) : t("failed")}`;
    const item = element("li", { class: "failed" }, element("span", { class: "test" }, name), when);
    if (values) {
      const rows = [[t("Expected"), values.expected] as const, [t("Got"), values.got] as const];
      const cells = rows.map(([term, value]) =>
        element("div", {}, element("dt", {}, term), element("dd", {}, element("code", {}, value))),
      );
      item.append(element("dl", { class: "values" }, ...cells));
    }
    if (message) item.append(element("pre", { tabindex: "0" }, message));
    return item;
  });
  return [element("h3", {}, t("Failed hidden tests")), element("ul", { class: "tests" }, ...items)];
}

function passed(page: ResultsPage): Node[] {
  const { length } = page.passed;
  if (length === 0) return [];
  const items = page.passed.map((name) => element("li", { class: "passed" }, element("span", { class: "test" }, name)));
  const summary = element("summary", {}, length === 1 ? t("1 hidden test passed") : t("{0} hidden tests passed", length));
  return [element("details", {}, summary, element("ul", { class: "tests" }, ...items))];
}

function log(page: ResultsPage): Node[] {
  if (!page.log) return [];
  return [element("details", {}, element("summary", {}, t("Log")), element("pre", { tabindex: "0" }, page.log))];
}

function policy(page: ResultsPage): Node[] {
  return page.policy ? [element("p", { class: "policy" }, page.policy)] : [];
}
