import { t } from "@vscode/l10n";
import type {
  ExamQuestion,
  ExamQuestions,
  ExamQuestionState,
  MadeExamPack,
  SavedExamQuestion,
  SaveExamQuestionParams,
} from "../../generated/protocol.ts";
import { connect } from "../connection.ts";
import { button, element, keepFocus, main } from "../elements.ts";
import { QuestionFields, type Decision } from "../examQuestionFields.ts";

export type ToExamReview =
  | { readonly type: "list"; readonly exam: ExamQuestions; readonly pack: string; readonly current: string }
  | { readonly type: "question"; readonly question: ExamQuestion }
  | { readonly type: "saved"; readonly label: string; readonly saved: SavedExamQuestion; readonly questions: readonly ExamQuestionState[] }
  | { readonly type: "made"; readonly pack: string; readonly made: MadeExamPack }
  | { readonly type: "failed"; readonly reason: string };

export type FromExamReview =
  | { readonly type: "open"; readonly label: string }
  | { readonly type: "save"; readonly question: Omit<SaveExamQuestionParams, "uri"> }
  | { readonly type: "makePack"; readonly pack: string }
  | { readonly type: "file"; readonly uri: string };

const send = connect<ToExamReview, FromExamReview>(receive);

const title = element("h1", { tabindex: "-1" });
const list = element("ol", { class: "exam-questions" });
const pages = element("div", { class: "exam-pages", role: "region", tabindex: "0" });
const form = element("form", { class: "exam-form question-form" });
const status = element("p", { role: "status", "aria-live": "polite", class: "headline" });
const packName = element("input", { id: "pack", type: "text", autocomplete: "off" });
const place = element("div", { class: "actions" });
const actions = element(
  "div",
  { class: "actions" },
  button(t("Accept (Ctrl+Enter)"), () => decide("accepted")),
  button(t("Leave Out"), () => decide("left out")),
  button(t("Previous (Alt+Page Up)"), () => step(-1)),
  button(t("Next (Alt+Page Down)"), () => step(1)),
  button(t("Reload"), () => reload()),
);
const packForm = element(
  "form",
  { id: "make", class: "actions" },
  element("label", { for: "pack" }, t("Name of the pack")),
  packName,
  element("button", { type: "submit" }, t("Make Pack")),
);
main().append(
  title,
  element("nav", { "aria-label": t("Questions of the exam") }, list),
  element("div", { class: "exam-review" }, pages, element("div", {}, status, place, form, actions)),
  packForm,
);

let folder = "";
let current: string | undefined;
let digest = "";
let states: readonly ExamQuestionState[] = [];
let fields: QuestionFields | undefined;
/** What was typed since the last save began. */
let isChanged = false;
let isSaving = false;
/** Whether what was typed may be given up: the person was told that it would be. */
let givesUp = false;
/** What follows when all is saved: the question to show, or the pack to make. */
let afterwards: (() => void) | undefined;

keepFocus(() => title);

form.addEventListener("input", () => {
  isChanged = true;
  givesUp = false;
});
form.addEventListener("change", () => save());
form.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) decide("accepted");
  else if (event.altKey && event.key === "PageDown") step(1);
  else if (event.altKey && event.key === "PageUp") step(-1);
  else return;
  event.preventDefault();
});
packForm.addEventListener("submit", (event) => {
  event.preventDefault();
  saveThen(() => send({ type: "makePack", pack: packName.value.trim() }));
});

function receive(message: ToExamReview): void {
  switch (message.type) {
    case "list": {
      folder = message.exam.uri;
      states = message.exam.questions;
      title.textContent = t("Review: {0}", message.exam.title);
      packName.value = message.pack;
      drawList();
      const first = message.current || (states.find(({ decision }) => decision !== "accepted" && decision !== "left out") ?? states[0])?.label;
      if (first !== undefined) open(first);
      break;
    }
    case "question":
      show(message.question);
      break;
    case "saved":
      saved(message);
      break;
    case "made":
      made(message.pack, message.made);
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

function say(text: string, isError = false, ...offered: readonly Node[]): void {
  status.textContent = text;
  status.classList.toggle("error", isError);
  place.replaceChildren(...offered);
}

function stateText({ decision, findings }: ExamQuestionState): string {
  const decided =
    decision === "accepted" ? t("accepted") : decision === "left out" ? t("left out") : decision === "open" ? t("undecided") : t("can't be read");
  if (findings === 0 || decision !== "open") return decided;
  return findings === 1 ? t("undecided, 1 thing to check") : t("undecided, {0} things to check", findings);
}

function drawList(): void {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.label : undefined;
  list.replaceChildren(
    ...states.map((state) => {
      const made = button("", () => saveThen(() => open(state.label)));
      made.className = "quiet";
      made.dataset.label = state.label;
      made.append(element("strong", {}, t("Question {0}", state.label)), ` (${stateText(state)})`);
      if (state.label === current) made.setAttribute("aria-current", "true");
      if (state.label === focused) queueMicrotask(() => made.focus());
      return element("li", {}, made);
    }),
  );
}

function open(label: string): void {
  current = label;
  fields = undefined;
  isChanged = givesUp = false;
  drawList();
  form.replaceChildren();
  pages.replaceChildren();
  const trouble = states.find((state) => state.label === label)?.trouble;
  if (!trouble) {
    say("");
    send({ type: "open", label });
    return;
  }
  say(trouble, true, button(t("Open {0}", "review.toml"), () => send({ type: "file", uri: `${folder}/items/${label}/review.toml` })));
}

function reload(): void {
  if (current === undefined) return;
  if (!isChanged || givesUp) {
    open(current);
    return;
  }
  givesUp = true;
  say(t("What you typed is not saved. Press Reload again to give it up."), true);
}

function show(question: ExamQuestion): void {
  if (question.label !== current) return;
  digest = question.digest;
  fields = new QuestionFields(question, () => {
    isChanged = true;
    save();
  });
  pages.setAttribute("aria-label", t("Page of question {0}", question.label));
  pages.replaceChildren(
    ...question.pages.map((src) =>
      element("img", { src, alt: t("Page of the exam; a frame is around what belongs to question {0}", question.label) }),
    ),
  );
  form.replaceChildren(element("h2", { tabindex: "-1" }, t("Question {0}", question.label)), ...fields.elements);
  form.querySelector("h2")?.focus();
}

function decide(decision: Decision): void {
  if (!fields) return;
  fields.decision = decision;
  isChanged = true;
  saveThen(() => step(1));
}

/** Shows the next question but `by`, if there is one. */
function step(by: number): void {
  const next = states[states.findIndex(({ label }) => label === current) + by];
  saveThen(() => {
    if (next) open(next.label);
    else say(by > 0 ? t("This is the last question.") : t("This is the first question."));
  });
}

function saveThen(then: () => void): void {
  afterwards = then;
  save();
}

function save(): void {
  if (isSaving) return;
  if (isChanged && fields && current !== undefined) {
    isChanged = false;
    isSaving = true;
    send({ type: "save", question: { label: current, digest, ...fields.values() } });
    return;
  }
  const then = afterwards;
  afterwards = undefined;
  then?.();
}

function saved({ label, saved: result, questions }: ToExamReview & { type: "saved" }): void {
  isSaving = false;
  states = questions;
  drawList();
  if (label !== current || !fields) return;
  fields.showErrors(form, result.errors);
  if (result.changedOnDisk) {
    afterwards = undefined;
    isChanged = givesUp = true;
    say(t("The files of this question were changed elsewhere, so nothing was written. Reload shows them; what you typed here is lost."), true);
  } else if (result.errors.length > 0) {
    // What is refused is still only in the page.
    afterwards = undefined;
    isChanged = true;
    fields.undecide();
    const [first] = result.errors;
    say(t("Not saved. {0}", first ? `${first.field ? `${first.field}: ` : ""}${first.reason}` : ""), true);
  } else {
    digest = result.digest;
    fields.decided();
    say(t("Saved."));
    save();
  }
}

function made(pack: string, { questions, refused, label, file }: MadeExamPack): void {
  if (!refused) {
    say(questions.length === 1 ? t("1 question is in the pack {0}.", pack) : t("{0} questions are in the pack {1}.", questions.length, pack));
    return;
  }
  const offered: Node[] = [];
  if (label) offered.push(button(t("Show Question {0}", label), () => saveThen(() => open(label))));
  else if (file) offered.push(button(t("Open {0}", file.split("/").at(-1) ?? file), () => send({ type: "file", uri: file })));
  say(t("There is no pack yet. {0}", refused), true, ...offered);
}
