import { t } from "@vscode/l10n";
import type { AttemptStatus, QuestionView } from "../../generated/protocol.ts";
import type { ResultsPage } from "../../runs/resultsPage.ts";
import { chosenValue, fillingShown, fillingText, listedValues, whatSavingDoes } from "../../questions/answerFile.ts";
import type { Filling } from "../../questions/answerFile.ts";
import { answeredBy } from "../../questions/questionFormats.ts";
import { connect } from "../connection.ts";
import { button, element, keepFocus, main, withCode } from "../elements.ts";
import { richText } from "../richText.ts";

export type ToAnswer =
  /** `workspace` is the address of the workspace folder as the page reaches it. */
  | { readonly type: "question"; readonly view: QuestionView; readonly workspace: string }
  | { readonly type: "length"; readonly text: string }
  /** `edit` is the number of the form's last edit that `answer` contains. */
  | { readonly type: "answer"; readonly answer: string; readonly edit: number }
  | {
      readonly type: "result";
      readonly outcome: ResultsPage["outcome"];
      /** The server's sign, such as ✓. */
      readonly sign: string;
      readonly text: string;
      readonly attempt: Pick<AttemptStatus, "state" | "study">;
    }
  | { readonly type: "problem"; readonly text: string };

export type FromAnswer =
  | { readonly type: "start" }
  | { readonly type: "submit" }
  | { readonly type: "save" }
  | { readonly type: "language"; readonly problem: string }
  | { readonly type: "edit"; readonly answer: string; readonly edit: number };

const send = connect<ToAnswer, FromAnswer>(receive);

const form = element("form");
// The live regions stay in the page, so that screen readers announce what changes in them.
const length = element("p", { role: "status", class: "policy", id: "length" });
const result = element("p", { role: "status", "aria-live": "polite", class: "headline" });
const start = button(t("Start the Clock"), () => send({ type: "start" }));
const hint = element("p", { class: "policy" });
const submit = button(t("Submit"), () => send({ type: "submit" }));
start.hidden = submit.hidden = true;
main().append(form, length, result, start, submit, hint);
form.addEventListener("submit", (event) => event.preventDefault());

let edits = 0;
let attempt: Pick<AttemptStatus, "state" | "study"> | undefined;
let isScoredOnSave = false;
let showAnswer: (answer: string) => void = () => undefined;

// The editor's own save may come before the newest edits, and then finds nothing to save.
document.addEventListener("keydown", (event) => {
  if (event.key !== "s" || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.stopPropagation();
  send({ type: "save" });
});
keepFocus(field);

function receive(message: ToAnswer): void {
  switch (message.type) {
    case "question":
      showQuestion(message.view, richText((path) => `${message.workspace}/${encodeURI(path)}`).line);
      break;
    case "answer":
      // An answer older than the newest keystroke would undo that keystroke.
      if (message.edit >= edits) showAnswer(message.answer);
      break;
    case "length":
      length.textContent = message.text;
      break;
    case "result":
      result.replaceChildren(...withCode(message.text));
      result.className = `headline ${message.outcome}`;
      result.dataset.sign = message.sign;
      attempt = message.attempt;
      showState();
      break;
    case "problem":
      form.replaceChildren();
      result.textContent = message.text;
      result.className = "headline error";
      delete result.dataset.sign;
      break;
  }
}

function field(): HTMLElement | null {
  return form.querySelector<HTMLElement>("input:checked") ?? form.querySelector<HTMLElement>("input, textarea");
}

function edit(answer: string): void {
  edits += 1;
  send({ type: "edit", answer, edit: edits });
}

function showQuestion(view: QuestionView, rich: (markdown: string) => Node): void {
  isScoredOnSave = view.scoredOnSave;
  showState();
  const title = element("h1", { lang: view.language }, view.title);
  const answer = view.choices.length > 0 ? choices(view, rich) : [text(view)];
  form.replaceChildren(title, ...languages(view), ...draft(view), ...answer);
  field()?.focus();
}

/** Says what saving does in the attempt's present state, and offers the next step. */
function showState(): void {
  start.hidden = attempt?.state !== "open";
  submit.hidden = attempt?.state !== "running" || isScoredOnSave;
  hint.textContent = attempt === undefined ? "" : whatSavingDoes(attempt, isScoredOnSave);
}

function languages(view: QuestionView): Node[] {
  if (view.languages.length === 0) return [];
  const name = (code: string): string => new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
  const options = [{ problem: "", language: view.language }, ...view.languages].map(({ problem, language }) =>
    element("option", { value: problem, lang: language }, name(language)),
  );
  const select = element("select", { id: "language" }, ...options);
  select.addEventListener("change", () => {
    send({ type: "language", problem: select.value });
    // This form keeps its own question; the other one opens in a form of its own.
    select.value = "";
  });
  return [element("p", { class: "language" }, element("label", { for: "language" }, `${t("Language")} `), select)];
}

/** Offers unsaved changes after the editor or the machine crashed. */
function draft(view: QuestionView): Node[] {
  const typed = view.draft;
  if (!typed) return [];
  const offer = element("p", { class: "draft" }, `${t("Your last changes were not saved, but they were kept.")} `);
  offer.append(
    button(t("Restore"), () => {
      offer.remove();
      edit(typed.replace(/\n$/, ""));
      field()?.focus();
    }),
  );
  return [offer];
}

function choices(view: QuestionView, rich: (markdown: string) => Node): Node[] {
  const isSeveral = answeredBy(view.format) === "choices";
  const fields = view.choices.map((choice) => {
    const input = element("input", {
      type: isSeveral ? "checkbox" : "radio",
      name: "answer",
      value: choice.value,
      id: `choice-${choice.value}`,
    });
    input.addEventListener("change", () => edit(checked()));
    return { choice, input };
  });
  const checked = (): string =>
    fields
      .filter(({ input }) => input.checked)
      .map(({ choice }) => choice.value)
      .sort()
      .join("");
  const rows = fields.map(({ choice, input }) => {
    const same = choice.text.toLowerCase() === choice.value.toLowerCase();
    const words = same ? [] : [element("span", { lang: view.language }, rich(choice.text))];
    const label = element("label", {}, input, element("strong", {}, same ? choice.text : choice.value), ...words);
    return element("div", { class: "choice" }, label);
  });
  // The server also understands other spellings of an answer, which the file may hold at first.
  let first: string | undefined;
  showAnswer = (answer) => {
    first ??= answer;
    const read = answer === first ? (view.selected ?? "") : "";
    const chosen = isSeveral ? (listedValues(answer, view.choices) ?? Array.from(read)) : [chosenValue(answer, view.choices) ?? read];
    for (const { input } of fields) input.checked = chosen.includes(input.value);
  };
  const legend = isSeveral ? t("Choose every right answer") : t("Choose one answer");
  return [element("fieldset", {}, element("legend", {}, legend), ...rows)];
}

function text(view: QuestionView): Node {
  const isBlank = answeredBy(view.format) === "blank";
  const area = element("textarea", {
    id: "answer",
    rows: isBlank ? "2" : "14",
    spellcheck: "true",
    lang: view.language,
    "aria-describedby": "length",
  });
  const label = element("label", { for: "answer" }, isBlank ? t("What goes into the blank") : t("Your answer, in Markdown"));
  const written = element("div", { class: "written" }, label, area);
  if (isBlank) return element("div", {}, written, unit(area));
  area.addEventListener("input", () => edit(area.value));
  showAnswer = (answer) => {
    if (area.value !== answer) area.value = answer;
  };
  return written;
}

/** The field for the unit of a number: both fields are one answer. */
function unit(area: HTMLTextAreaElement): Node {
  const input = element("input", { id: "unit", type: "text", maxlength: "40", "aria-describedby": "length" });
  const filling = (): Filling => ({ words: area.value, unit: input.value });
  for (const field of [area, input]) field.addEventListener("input", () => edit(fillingText(filling())));
  showAnswer = (answer) => {
    // Typing "2.5 ns" into the first field moves nothing to the second.
    if (fillingText(filling()) !== answer) ({ words: area.value, unit: input.value } = fillingShown(answer));
  };
  const label = element("label", { for: "unit" }, t("Its unit, if it is a number that has one"));
  return element("div", { class: "written" }, label, input);
}
