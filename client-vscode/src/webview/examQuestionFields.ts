import { t } from "@vscode/l10n";
import type { ExamQuestion, FieldError, SaveExamQuestionParams } from "../generated/protocol.ts";
import { FORMATS } from "../questions/questionFormats.ts";
import { element } from "./elements.ts";
import { ChoiceFields, DIFFICULTIES, PointFields, area, input, numberOrNull, numeric, preview, select, showRemarks, written } from "./formFields.ts";

export type Decision = "open" | "accepted" | "left out";
type Values = Pick<SaveExamQuestionParams, "statement" | "solution" | "form">;

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
  private readonly choices: ChoiceFields;
  private readonly rubric: PointFields;

  /** @param change Is called when a field is removed. */
  constructor(question: ExamQuestion, change: () => void) {
    const { form } = question;
    this.decision = this.written = form.decision;
    this.statement = area("statement", 8, question.statement);
    this.solution = area("solution", 5, question.solution);
    this.format = select("format", FORMATS, form.format);
    this.difficulty = select("difficulty", DIFFICULTIES, form.difficulty);
    this.domain = input("domain", form.domain);
    this.topic = input("topic", form.topic);
    this.points = numeric("points", form.points);
    this.choices = new ChoiceFields(this.format, form.choices, 0, form.answer);
    this.rubric = new PointFields("rubric", t("Rubric: what parts of the points are given for"), form.rubric, change);
    this.elements = [
      ...found(question.findings),
      written(t("Statement, Markdown"), this.statement),
      preview(t("Preview of the statement"), this.statement, question.figures),
      element(
        "div",
        { class: "form-fields" },
        written(t("Format"), this.format),
        written(t("Difficulty"), this.difficulty),
        written(t("Points"), this.points),
        written(t("Domain"), this.domain),
        written(t("Topic"), this.topic),
      ),
      this.choices.choices,
      this.choices.keyed,
      written(t("Solution, Markdown"), this.solution),
      preview(t("Preview of the solution"), this.solution, question.solutionFigures),
      this.rubric.element,
    ];
  }

  values(): Values {
    return {
      statement: this.statement.value,
      solution: this.solution.value,
      form: {
        decision: this.decision,
        format: this.format.value,
        difficulty: this.difficulty.value,
        domain: this.domain.value,
        topic: this.topic.value,
        answer: this.choices.key,
        points: numberOrNull(this.points.value),
        choices: this.choices.values(),
        rubric: this.rubric.values(),
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
  showErrors(form: HTMLElement, errors: readonly FieldError[]): void {
    showRemarks(
      form,
      errors.map((one) => ({ ...one, isError: true })),
      true,
    );
  }
}

function found(findings: readonly string[]): Node[] {
  if (findings.length === 0) return [];
  return [
    element("h3", {}, t("To check")),
    element("ul", {}, ...findings.map((one) => element("li", {}, one))),
  ];
}
