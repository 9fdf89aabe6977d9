import { t } from "@vscode/l10n";
import type { AnswerToGrade, GradeGiven, GradeRefused, GradeSkipped, GradingDone } from "../../generated/protocol.ts";
import { connect } from "../connection.ts";
import { button, element, fieldValue, keepFocus, main } from "../elements.ts";
import { richText, type RichText } from "../richText.ts";

export type ToGrading = AnswerToGrade | GradingDone | GradeRefused | { readonly type: "failed"; readonly reason: string };

export type FromGrading = GradeGiven | GradeSkipped;

const DIFFICULTIES = ["1", "2", "3", "4", "5"];

const send = connect<ToGrading, FromGrading>(receive);

const title = element("h1", { tabindex: "-1" });
const answer = element("div");
const form = element("form");
// The live region stays in the page, so that screen readers announce what changes in it.
const status = element("p", { role: "status", "aria-live": "polite", class: "headline" });
main().append(title, answer, form, status);

keepFocus(() => form.querySelector<HTMLElement>("input"));

function receive(message: ToGrading): void {
  switch (message.type) {
    case "answer":
      show(message);
      break;
    case "done":
      clear(t("There are no more answers to grade"));
      status.textContent = message.graded === 1 ? t("You graded 1 answer.") : t("You graded {0} answers.", message.graded);
      break;
    case "refused":
      status.textContent = message.reason;
      status.className = "headline error";
      break;
    case "failed":
      clear(t("Grading has stopped"));
      status.textContent = message.reason;
      status.className = "headline error";
      break;
  }
}

function clear(heading: string): void {
  title.textContent = heading;
  answer.replaceChildren();
  form.replaceChildren();
  status.className = "headline";
}

function show(item: AnswerToGrade): void {
  const pictures = new Map(item.pictures.map((one) => [one.path, `data:${one.mediaType};base64,${one.data}`]));
  const rich = richText((path) => pictures.get(path));
  clear(item.title);
  status.textContent = item.left === 1 ? t("This is the last answer.") : t("{0} answers are left.", item.left);
  answer.replaceChildren(
    ...part(t("Question"), element("div", { class: "rich", lang: item.language }, rich.block(item.question))),
    ...reference(item, rich),
    ...part(t("Answer to grade"), element("pre", { tabindex: "0", lang: item.language }, item.answer)),
    element("details", {}, element("summary", {}, t("How to grade")), rich.block(item.guidance)),
  );
  form.replaceChildren(...fields(item));
  title.focus();
  window.scrollTo(0, 0);
}

function part(heading: string, content: Node): Node[] {
  return [element("h2", {}, heading), content];
}

function reference(item: AnswerToGrade, rich: RichText): Node[] {
  const parts = item.reference ? part(t("Reference answer"), element("div", { class: "rich" }, rich.block(item.reference))) : [];
  return item.notes ? [...parts, ...part(t("Notes for graders"), element("div", { class: "rich" }, rich.block(item.notes)))] : parts;
}

function fields(item: AnswerToGrade): Node[] {
  const comment = element("textarea", { id: "comment", rows: "3" });
  form.onsubmit = (event) => {
    event.preventDefault();
    const given = new FormData(form);
    send({
      type: "grade",
      id: item.id,
      label: fieldValue(given, "label"),
      difficulty: Number(fieldValue(given, "difficulty")),
      comment: comment.value,
    });
  };
  form.onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  };
  return [
    scale("label", t("Grade"), item.labels),
    scale("difficulty", t("How hard was it to grade, from 1 (easy) to 5 (hard)?"), DIFFICULTIES),
    element("div", { class: "written" }, element("label", { for: "comment" }, t("Comment (optional)")), comment),
    element(
      "div",
      { class: "actions" },
      element("button", { type: "submit" }, t("Save and Next (Ctrl+Enter)")),
      button(t("Skip for Now"), () => send({ type: "skip" })),
    ),
  ];
}

function scale(name: string, legend: string, values: readonly string[]): Node {
  const choices = values.map((value) =>
    element("label", {}, element("input", { type: "radio", name, value, required: "" }), ` ${value}`),
  );
  return element("fieldset", { class: "scale" }, element("legend", {}, legend), ...choices);
}
