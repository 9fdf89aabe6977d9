import { t } from "@vscode/l10n";
import type { FormRemark, ModelReply, SavedQuestionForm, SaveQuestionFormParams, ShownQuestion } from "../../generated/protocol.ts";
import { connect } from "../connection.ts";
import { button, element, keepFocus, main } from "../elements.ts";
import { shownRemark } from "../formFields.ts";
import { QuestionFields } from "../questionFields.ts";

export type ToQuestionForm =
  | { readonly type: "question"; readonly question: ShownQuestion }
  | { readonly type: "checked"; readonly number: number; readonly remarks: readonly FormRemark[] }
  | { readonly type: "saved"; readonly saved: SavedQuestionForm }
  | { readonly type: "figure"; readonly path: string; readonly address: string; readonly ofAnswer: boolean }
  | { readonly type: "asking" }
  | { readonly type: "tried"; readonly answers: readonly ModelReply[] }
  | { readonly type: "failed"; readonly reason: string };

type Written = Pick<SaveQuestionFormParams, "statement" | "form">;

export type FromQuestionForm =
  | { readonly type: "read" }
  | { readonly type: "check"; readonly number: number; readonly question: Written }
  | { readonly type: "save"; readonly digest: string; readonly question: Written }
  | { readonly type: "addFigure"; readonly ofAnswer: boolean }
  | { readonly type: "preview" }
  | { readonly type: "twin" }
  | { readonly type: "try" }
  | { readonly type: "files" };

const PAUSE_MS = 300;
const send = connect<ToQuestionForm, FromQuestionForm>(receive);

const title = element("h1", { tabindex: "-1" });
const status = element("p", { role: "status", "aria-live": "polite", class: "headline form-status" });
const general = element("ul", { class: "form-remarks" });
const form = element("form", { class: "question-form" });
const twin = button(t("Make a Free-Response Twin…"), () => saveThen(() => send({ type: "twin" })));
const actions = element(
  "div",
  { class: "actions" },
  button(t("Preview as Solvers See It"), () => saveThen(() => send({ type: "preview" }))),
  button(t("Try on Models…"), () => saveThen(() => send({ type: "try" }))),
  twin,
  // Not after a save: what is wrong may have to be corrected there.
  button(t("Open the Files"), () => send({ type: "files" })),
  button(t("Reload"), () => reload()),
);
const replies = element("section", { "aria-label": t("What models answer") });
main().append(title, status, general, form, actions, replies);

let fields: QuestionFields | undefined;
let digest = "";
/** What was typed since the last save began. */
let isChanged = false;
let isSaving = false;
/** Whether what was typed may be given up: the person was told that it would be. */
let givesUp = false;
/** Whether the person asked for a save, and did not only leave a field. */
let wantsSave = false;
/** What follows when all is saved. */
let afterwards: (() => void) | undefined;
let pause: ReturnType<typeof setTimeout> | undefined;
let checks = 0;

keepFocus(() => title);

form.addEventListener("input", () => {
  isChanged = true;
  givesUp = false;
  clearTimeout(pause);
  pause = setTimeout(check, PAUSE_MS);
});
form.addEventListener("change", () => save());
form.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  isChanged = wantsSave = true;
  save();
});

function receive(message: ToQuestionForm): void {
  switch (message.type) {
    case "question":
      show(message.question);
      break;
    case "checked":
      if (message.number === checks) showRemarks(message.remarks);
      break;
    case "saved":
      saved(message.saved);
      break;
    case "figure":
      fields?.showFigure(message.path, message.address, message.ofAnswer);
      break;
    case "asking":
      replies.replaceChildren();
      say(t("Models are asked…"));
      break;
    case "tried":
      showReplies(message.answers);
      break;
    case "failed":
      // What could not be saved is still only in the page.
      isChanged ||= isSaving;
      isSaving = false;
      afterwards = undefined;
      say(message.reason, true);
      break;
  }
}

function say(text: string, isError = false): void {
  status.textContent = text;
  status.classList.toggle("error", isError);
}

function reload(): void {
  if (!isChanged || givesUp) {
    send({ type: "read" });
    return;
  }
  givesUp = true;
  say(t("What you typed is not saved. Press Reload again to give it up."), true);
}

function show(question: ShownQuestion): void {
  const isFirst = fields === undefined;
  digest = question.digest;
  isChanged = givesUp = false;
  const changed = (): void => {
    isChanged = true;
    save();
  };
  fields = new QuestionFields(question, changed, (ofAnswer) => saveThen(() => send({ type: "addFigure", ofAnswer })));
  title.textContent = t("Question {0}", question.id);
  form.replaceChildren(...fields.elements);
  showRemarks(question.remarks);
  say("");
  if (isFirst) title.focus();
}

function showRemarks(remarks: readonly FormRemark[], moves = false): void {
  if (!fields) return;
  const elsewhere = fields.show(form, remarks, moves);
  general.replaceChildren(...elsewhere.map((one) => shownRemark("li", one)));
  general.hidden = elsewhere.length === 0;
  twin.hidden = !fields.hasTwin;
}

function check(): void {
  // A save that is on its way brings remarks of its own.
  if (!fields || isSaving) return;
  checks += 1;
  send({ type: "check", number: checks, question: fields.values() });
}

function saveThen(then: () => void): void {
  afterwards = then;
  save();
}

function save(): void {
  clearTimeout(pause);
  if (isSaving) return;
  if (isChanged && fields) {
    isChanged = false;
    isSaving = true;
    checks += 1;
    send({ type: "save", digest, question: fields.values() });
    return;
  }
  const then = afterwards;
  afterwards = undefined;
  then?.();
}

function saved(result: SavedQuestionForm): void {
  isSaving = false;
  if (result.changedOnDisk) {
    afterwards = undefined;
    isChanged = givesUp = true;
    say(t("The files of this question were changed elsewhere, so nothing was written. Reload shows them; what you typed here is lost."), true);
    return;
  }
  const errors = result.remarks.filter(({ isError }) => isError).length;
  showRemarks(result.remarks, !result.isSaved && (wantsSave || afterwards !== undefined));
  wantsSave = false;
  if (!result.isSaved) {
    // What is refused is still only in the page.
    afterwards = undefined;
    isChanged = true;
    const [first] = result.remarks;
    say(t("Not saved. {0}", first?.reason ?? ""), true);
    return;
  }
  digest = result.digest;
  const open = result.remarks.length;
  if (errors > 0) say(t("Saved, but no pack can have the question as it is."), true);
  else if (open > 0) say(open === 1 ? t("Saved, with 1 thing to check.") : t("Saved, with {0} things to check.", open));
  else say(t("Saved."));
  save();
}

function showReplies(answers: readonly ModelReply[]): void {
  const wrong = answers.filter(({ isRight }) => isRight === false).length;
  say(wrong === 1 ? t("1 of {0} models is wrong.", answers.length) : t("{0} of {1} models are wrong.", wrong, answers.length));
  replies.replaceChildren(
    element("h2", { tabindex: "-1" }, t("What models answer")),
    ...answers.map((one) =>
      element(
        "details",
        {},
        element("summary", {}, element("strong", {}, one.model), `: ${verdict(one)}`),
        element("pre", { tabindex: "0", "aria-label": t("Reply of {0}", one.model) }, one.said),
      ),
    ),
  );
  replies.querySelector("h2")?.focus();
  replies.scrollIntoView({ block: "nearest" });
}

function verdict({ why, answer, isRight, said }: ModelReply): string {
  if (why) return t("no answer: {0}", why);
  if (isRight === true) return t("{0}, which is right", answer);
  if (isRight === false) return t("{0}, which is wrong", answer || t("no option"));
  return said ? t("in words, which no rule decides about") : t("no answer");
}
