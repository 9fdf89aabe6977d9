import { t } from "@vscode/l10n";
import type { FormRemark, SaveQuestionFormParams, ShownQuestion } from "../generated/protocol.ts";
import { FORMATS, answeredBy, hasChoices, isSelected } from "../questions/questionFormats.ts";
import { button, element } from "./elements.ts";
import {
  ChoiceFields,
  DIFFICULTIES,
  PointFields,
  area,
  group,
  input,
  number,
  numberOrNull,
  numeric,
  preview,
  select,
  showRemarks,
  written,
} from "./formFields.ts";

type Values = Pick<SaveQuestionFormParams, "statement" | "form">;

const SKILLS = [
  ["", t("not chosen")],
  ["recall", t("recall")],
  ["analyze", t("analyze")],
  ["design", t("design")],
  ["implement", t("implement")],
] as const;
const USUAL_CHOICES = 4;

/** The fields of a question of a pack's folder, with what is wrong in each. */
export class QuestionFields {
  readonly elements: readonly Node[];
  private readonly figures: Record<string, string>;
  private readonly answerFigures: Record<string, string>;
  private readonly statement: HTMLTextAreaElement;
  private readonly format: HTMLSelectElement;
  private readonly difficulty: HTMLSelectElement;
  private readonly skill: HTMLSelectElement;
  private readonly domain: HTMLInputElement;
  private readonly topic: HTMLInputElement;
  private readonly choices: ChoiceFields;
  private readonly answer: HTMLTextAreaElement;
  private readonly alternatives: HTMLTextAreaElement;
  private readonly closed = element("input", { id: "closed", type: "checkbox" });
  private readonly unit: HTMLInputElement;
  private readonly tolerance: HTMLInputElement;
  private readonly explanation: HTMLTextAreaElement;
  private readonly rubric: HTMLTextAreaElement;
  private readonly points: PointFields;
  private readonly enough: HTMLInputElement;
  private readonly inWords: HTMLElement;
  private readonly exact: HTMLElement;
  private readonly graded: HTMLElement;

  /**
   * @param change Is called when a field is added or removed.
   * @param addFigure Asks for a picture of the statement, or of the answer.
   */
  constructor(question: ShownQuestion, change: () => void, addFigure: (ofAnswer: boolean) => void) {
    const { form } = question;
    this.figures = { ...question.figures };
    this.answerFigures = { ...question.answerFigures };
    this.statement = area("statement", 8, question.statement);
    this.format = select("format", FORMATS, form.format ?? "");
    this.difficulty = select("difficulty", DIFFICULTIES, form.difficulty ?? "");
    this.skill = select("skill", SKILLS, form.skill ?? "");
    this.domain = input("domain", form.domain ?? "");
    this.topic = input("topic", form.topic ?? "");
    const isChosen = isSelected(form.format ?? "");
    this.choices = new ChoiceFields(this.format, form.choices ?? {}, USUAL_CHOICES, isChosen ? (form.answer ?? "") : "");
    this.answer = area("words", 3, isChosen ? "" : (form.answer ?? ""));
    this.alternatives = area("alternatives", 2, (form.alternatives ?? []).join("\n"));
    this.closed.checked = form.closed ?? false;
    this.unit = input("unit", form.unit ?? "");
    this.tolerance = numeric("tolerance", form.tolerance);
    this.explanation = area("explanation", 5, form.explanation ?? "");
    this.rubric = area("rubric", 3, form.rubric ?? "");
    this.points = new PointFields("points", t("Points that people grade by"), form.points ?? [], change);
    this.enough = numeric("enough", form.enough);
    this.inWords = written(t("Answer"), this.answer);
    this.exact = group(
      t("What else is right"),
      "exact",
      written(t("Other right answers, one on each line"), this.alternatives),
      element("div", { class: "form-check" }, this.closed, element("label", { for: "closed" }, t("Nothing else is right, so that no judge is asked"))),
      element("div", { class: "form-fields" }, written(t("Unit of a number"), this.unit), written(t("Relative tolerance of a number"), this.tolerance)),
    );
    this.graded = element(
      "div",
      {},
      written(t("Rubric for judges, in words"), this.rubric),
      this.points.element,
      written(t("Points that are enough for a right answer; all if empty"), this.enough),
    );
    this.format.addEventListener("change", () => this.arrange());
    this.elements = [
      written(t("Statement, Markdown; the first line is the title: # Title"), this.statement),
      element("div", { class: "actions" }, button(t("Add a Figure…"), () => addFigure(false))),
      preview(t("Preview of the statement"), this.statement, this.figures),
      element(
        "div",
        { class: "form-fields" },
        written(t("Format"), this.format),
        written(t("Difficulty"), this.difficulty),
        written(t("Skill"), this.skill),
        written(t("Domain"), this.domain),
        written(t("Topic"), this.topic),
      ),
      this.choices.choices,
      this.choices.keyed,
      this.inWords,
      this.exact,
      written(t("Explanation: why the answer is right, and others are not; Markdown"), this.explanation),
      element("div", { class: "actions" }, button(t("Add a Figure to the Explanation…"), () => addFigure(true))),
      preview(t("Preview of the explanation"), this.explanation, this.answerFigures),
      this.graded,
    ];
    this.arrange();
  }

  /** True if the same can be asked without choices. */
  get hasTwin(): boolean {
    return answeredBy(this.format.value) === "choice";
  }

  values(): Values {
    const isChosen = this.choices.isChosen;
    const isGraded = !this.graded.hidden;
    const isExact = !this.exact.hidden;
    return {
      statement: this.statement.value,
      form: {
        difficulty: this.difficulty.value,
        domain: this.domain.value,
        format: this.format.value,
        topic: this.topic.value,
        skill: this.skill.value,
        choices: hasChoices(this.format.value) ? this.choices.values() : {},
        answer: isChosen ? this.choices.key : this.answer.value,
        alternatives: isExact ? this.alternatives.value.split("\n").filter((line) => line.trim()) : [],
        closed: isExact && this.closed.checked,
        unit: isExact ? this.unit.value : "",
        tolerance: isExact ? numberOrNull(this.tolerance.value) : null,
        explanation: this.explanation.value,
        rubric: isGraded ? this.rubric.value : "",
        points: isGraded ? this.points.values() : [],
        enough: isGraded && this.enough.value.trim() ? number(this.enough.value) : null,
      },
    };
  }

  /** Shows remarks at their fields; those without one are returned. */
  show(form: HTMLElement, remarks: readonly FormRemark[], moves: boolean): readonly FormRemark[] {
    const key = this.choices.isChosen ? "answer" : "words";
    const placed = remarks.map((one) => ({ ...one, field: one.field === "answer" ? key : one.field }));
    return showRemarks(form, placed, moves);
  }

  /** Writes where the cursor is that a picture is shown, and lets the person say what it shows. */
  showFigure(path: string, address: string, ofAnswer: boolean): void {
    (ofAnswer ? this.answerFigures : this.figures)[path] = address;
    const field = ofAnswer ? this.explanation : this.statement;
    const what = t("what it shows");
    const before = field.value.slice(0, field.selectionEnd);
    const gap = !before || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
    field.setRangeText(`${gap}![${what}](${path})\n`, field.selectionEnd, field.selectionEnd, "end");
    const start = before.length + gap.length + 2;
    field.focus();
    field.setSelectionRange(start, start + what.length);
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /** Shows the fields of the format. */
  private arrange(): void {
    this.inWords.hidden = this.choices.isChosen;
    const isBlank = answeredBy(this.format.value) === "blank";
    this.exact.hidden = !isBlank;
    this.graded.hidden = this.choices.isChosen || isBlank;
  }
}
