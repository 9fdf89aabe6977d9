import { t } from "@vscode/l10n";
import type { GuidePage, Step } from "../../problems/guideSteps.ts";
import { connect } from "../connection.ts";
import { button, element, main, withCode } from "../elements.ts";

export interface ToGuide {
  readonly page: GuidePage;
}

export type FromGuide =
  | { readonly type: "command"; readonly command: string }
  /** The present step is not done, but is left behind. */
  | { readonly type: "skip" }
  | { readonly type: "leave" };

// The live region stays in the page, so that screen readers announce the next step.
const status = element("p", { role: "status", "aria-live": "polite", class: "policy" });
const body = element("div");
main().append(element("h1", {}, t("Guided First Problem")), status, body);

const send = connect<ToGuide, FromGuide>(({ page }) => show(page));

function show({ steps, now }: GuidePage): void {
  const step = steps[now];
  status.textContent = step ? t("Step {0} of {1}: {2}", now + 1, steps.length, step.title) : t("All steps are done.");
  const items = steps.map((one, number) => {
    const title = element("span", {}, one.title, ...(one.isDone ? [element("span", { class: "unseen" }, ` (${t("done")})`)] : []));
    const item = element("li", { class: one.isDone ? "done" : number === now ? "now" : "later" }, title);
    if (number === now) {
      item.setAttribute("aria-current", "step");
      item.append(...present(one));
    }
    return item;
  });
  const note = t("This attempt is practice: no report counts it. You can leave the guide and continue with “Start the Guided Problem”.");
  body.replaceChildren(
    element("ol", { class: "guide" }, ...items),
    element("p", { class: "policy" }, note),
    element("div", { class: "actions" }, button(t("Leave the Guide"), () => send({ type: "leave" }))),
  );
}

function present({ text, actions }: Step): Node[] {
  const buttons = actions.map(({ label, command }) => button(label, () => send({ type: "command", command })));
  return [
    element("p", {}, ...withCode(text)),
    element("div", { class: "actions" }, ...buttons, button(t("Skip This Step"), () => send({ type: "skip" }))),
  ];
}
