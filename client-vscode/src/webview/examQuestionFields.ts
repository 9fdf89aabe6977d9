import { t } from "@vscode/l10n";
import type { ExamFieldError, ExamQuestion, SaveExamQuestionParams } from "../generated/protocol.ts";
import { button, element } from "./elements.ts";
import { richText } from "./richText.ts";

export type Decision = "open" | "accepted" | "left out";
type Values = Pick<SaveExamQuestionParams, "statement" | "solution" | "form">;

const FORMATS: readonly (readonly [string, string])[] = [
  ["multiple-choice", t("Multiple-Choice Question")],
  ["assertion", t("True or False Question")],
  ["fill-in-the-blank", t("Fill-in-the-Blank Question")],
  ["open-ended", t("Open-Ended Question")],
  ["free-response", t("Free-Response Question")],
];
const DIFFICULTIES: readonly (readonly [string, string])[] = [
  ["easy", t("easy")],
  ["medium", t("medium")],
  ["hard", t("hard")],
];
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The fields of one question of an exam, with what is wrong in each. */
export class QuestionFields {
  readonly elements: readonly Node[];
  decision: string;
  private written: string;
  private readonly statement: HTMLTextAreaElement;
  private readonly solution: HTMLTextAreaElement;
  private readonly format: HTMLSelectElement;
  private readonly difficulty: HTMLSelectElement;
  private readonly domain: HTMLInputElement;
  private readonly topic: HTMLInputElement;
  private readonly points: HTMLInputElement;
  private readonly answer = element("select", { id: "answer" });
  private readonly keyed: HTMLElement;
  private readonly choices = element("div");
  private readonly choicesGroup: HTMLElement;
  private readonly rubric = element("div");

  /** @param change Is called when a field is added. */
  constructor(
    question: ExamQuestion,
    private readonly change: () => void,
  ) {
    const { form } = question;
    this.decision = this.written = form.decision;
    this.statement = element("textarea", { id: "statement", rows: "8" });
    this.statement.value = question.statement;
    this.solution = element("textarea", { id: "solution", rows: "5" });
    this.solution.value = question.solution;
    this.format = select("format", FORMATS, form.format);
    this.format.addEventListener("change", () => this.arrange());
    this.difficulty = select("difficulty", DIFFICULTIES, form.difficulty);
    this.domain = input("domain", form.domain);
    this.topic = input("topic", form.topic);
    this.points = input("points", form.points === null || form.points === undefined ? "" : String(form.points));
    this.points.inputMode = "decimal";
    for (const [letter, text] of Object.entries(form.choices)) this.addChoice(letter, text);
    for (const { text, points } of form.rubric) this.addPoint(text, String(points));
    this.keyed = written(t("Answer"), this.answer);
    this.choicesGroup = group(
      t("Choices"),
      "choices",
      this.choices,
      button(t("Add a Choice"), () => this.addNextChoice()),
    );
    this.elements = [
      ...found(question.findings),
      written(t("Statement, Markdown"), this.statement),
      preview(t("Preview of the statement"), this.statement, question.figures),
      element(
        "div",
        { class: "exam-fields" },
        written(t("Format"), this.format),
        written(t("Difficulty"), this.difficulty),
        written(t("Points"), this.points),
        written(t("Domain"), this.domain),
        written(t("Topic"), this.topic),
      ),
      this.choicesGroup,
      this.keyed,
      written(t("Solution, Markdown"), this.solution),
      preview(t("Preview of the solution"), this.solution, question.solutionFigures),
      group(
        t("Rubric: what parts of the points are given for"),
        "rubric",
        this.rubric,
        button(t("Add to the Rubric"), () => this.addPoint("", "1").focus()),
      ),
    ];
    this.arrange(form.answer);
  }

  values(): Values {
    const choices = [...this.choices.querySelectorAll("input")].filter(({ value }) => value.trim());
    const points = this.points.value.trim();
    return {
      statement: this.statement.value,
      solution: this.solution.value,
      form: {
        decision: this.decision,
        format: this.format.value,
        difficulty: this.difficulty.value,
        domain: this.domain.value,
        topic: this.topic.value,
        answer: this.answer.value,
        points: points ? number(points) : null,
        choices: Object.fromEntries(choices.map((one) => [one.dataset.letter ?? "", one.value])),
        rubric: this.rubricPoints(),
      },
    };
  }

  /** What was saved is what a refused decision goes back to. */
  decided(): void {
    this.written = this.decision;
  }

  undecide(): void {
    this.decision = this.written;
  }

  /** Shows what is wrong at the fields, and moves to the first of them. */
  showErrors(errors: readonly ExamFieldError[]): void {
    for (const old of document.querySelectorAll(".exam-form .field-error")) old.remove();
    for (const old of document.querySelectorAll(".exam-form [aria-invalid]")) {
      old.removeAttribute("aria-invalid");
      old.removeAttribute("aria-describedby");
    }
    for (const [index, { field, reason }] of errors.entries()) {
      const place = fieldOf(field);
      if (!place) continue;
      const id = `error-${index}`;
      place.after(element("p", { class: "field-error", id }, reason));
      place.setAttribute("aria-invalid", "true");
      place.setAttribute("aria-describedby", id);
      if (index === 0) place.focus();
    }
  }

  /** Shows the fields of the format. */
  private arrange(answer = this.answer.value): void {
    const isChoice = this.format.value === "multiple-choice";
    this.choicesGroup.hidden = !isChoice;
    this.keyed.hidden = !isChoice && this.format.value !== "assertion";
    const letters = [...this.choices.querySelectorAll("input")].map((one) => one.dataset.letter ?? "");
    const options = ["", ...(isChoice ? letters : ["true", "false"])];
    if (!options.includes(answer)) options.push(answer);
    this.answer.replaceChildren(...options.map((value) => element("option", { value }, value || t("not chosen"))));
    this.answer.value = answer;
  }

  private addNextChoice(): void {
    const last = [...this.choices.querySelectorAll("input")].at(-1)?.dataset.letter;
    const letter = LETTERS[last === undefined ? 0 : LETTERS.indexOf(last) + 1];
    if (letter) this.addChoice(letter, "").focus();
    this.arrange();
  }

  private addChoice(letter: string, text: string): HTMLInputElement {
    const field = input(`choices.${letter}`, text);
    field.dataset.letter = letter;
    this.choices.append(element("div", { class: "exam-row" }, element("label", { for: field.id }, letter), field));
    return field;
  }

  private addPoint(text: string, points: string): HTMLInputElement {
    const what = element("input", { type: "text", "aria-label": t("What it is given for") });
    what.value = text;
    const worth = element("input", { type: "text", inputmode: "decimal", size: "4", "aria-label": t("Points") });
    worth.value = points;
    const row = element("div", { class: "exam-row" }, what, worth);
    row.append(
      button(t("Remove"), () => {
        row.remove();
        this.change();
      }),
    );
    this.rubric.append(row);
    return what;
  }

  private rubricPoints(): { text: string; points: number }[] {
    const rows = [...this.rubric.children].map((row) => [...row.querySelectorAll("input")] as const);
    return rows
      .filter(([what]) => what?.value.trim())
      .map(([what, worth], index) => {
        if (what) what.id = `rubric.${index}.text`;
        if (worth) worth.id = `rubric.${index}.points`;
        return { text: what?.value ?? "", points: number(worth?.value ?? "") };
      });
  }
}

/** The field that an error is about, or the nearest around it. */
function fieldOf(name: string): HTMLElement | null {
  for (let rest = name; rest; rest = rest.split(".").slice(0, -1).join(".")) {
    const field = document.querySelector<HTMLElement>(`.exam-form [id="${CSS.escape(rest)}"]`);
    if (field) return field;
  }
  return null;
}

/** A number of points; −1, which is refused at the field, for anything else. */
function number(text: string): number {
  const value = Number(text.trim().replace(",", "."));
  return text.trim() && Number.isFinite(value) ? value : -1;
}

function found(findings: readonly string[]): Node[] {
  if (findings.length === 0) return [];
  return [
    element("h3", {}, t("To check")),
    element("ul", {}, ...findings.map((one) => element("li", {}, one))),
  ];
}

function input(id: string, value: string): HTMLInputElement {
  const made = element("input", { id, type: "text", autocomplete: "off" });
  made.value = value;
  return made;
}

function select(id: string, options: readonly (readonly [string, string])[], value: string): HTMLSelectElement {
  const made = element("select", { id }, ...options.map(([name, label]) => element("option", { value: name }, label)));
  made.value = value;
  return made;
}

function written(label: string, field: HTMLElement): HTMLElement {
  return element("div", { class: "written" }, element("label", { for: field.id }, label), field);
}

function group(legend: string, id: string, ...content: readonly Node[]): HTMLElement {
  return element("fieldset", { id, tabindex: "-1" }, element("legend", {}, legend), ...content);
}

/** How the Markdown of a field looks, as it is typed. */
function preview(label: string, field: HTMLTextAreaElement, figures: Readonly<Record<string, string>>): HTMLElement {
  const rich = richText((path) => figures[path]);
  const shown = element("div", { class: "exam-preview", role: "region", "aria-label": label });
  const draw = (): void => shown.replaceChildren(rich.block(field.value));
  field.addEventListener("input", draw);
  draw();
  return shown;
}
