import { t } from "@vscode/l10n";
import type {
  ForecastParams,
  QuestionnaireParams,
  SelfEstimateParams,
  StudyQuestionView,
} from "../generated/protocol.ts";
import { element, fieldValue } from "./elements.ts";

type When = "before" | "after";
type Estimates = Omit<ForecastParams & SelfEstimateParams, "uri" | "study" | "problem">;

const ASKED: Readonly<Record<string, Readonly<Record<When, string>>>> = {
  minutes: {
    before: t("How many minutes do you expect to need?"),
    after: t("How many minutes do you think it took you?"),
  },
  minutes_without_ai: { before: t("How many minutes do you expect to need without help from AI?"), after: "" },
  minutes_with_ai: { before: t("How many minutes do you expect to need with help from AI?"), after: "" },
  difficulty: {
    before: t("How hard will it be, from 1 (very easy) to 5 (very hard)?"),
    after: t("How hard was it, from 1 (very easy) to 5 (very hard)?"),
  },
  prior_exposure: {
    before: t("Have you seen this problem before?"),
    after: t("Had you seen this problem before?"),
  },
  external_help: {
    before: t("Will anything outside this editor help you?"),
    after: t("Did anything outside this editor help you: a person, a web page, a chat elsewhere?"),
  },
  success: {
    before: t("How likely are you to solve it, in percent?"),
    after: t("How likely is your solution to be correct, in percent?"),
  },
};

const EXPOSURES = [
  ["none", t("No")],
  ["similar", t("A similar one")],
  ["same", t("Yes, this one")],
] as const;

const YES_NO = [
  ["yes", t("Yes")],
  ["no", t("No")],
] as const;

const SCALE = ["1", "2", "3", "4", "5"].map((value) => [value, value] as const);

/** Fields for what is asked about a task. */
export function estimateFields(asked: readonly string[], when: When): Node[] {
  return asked.flatMap((estimate) => {
    const text = ASKED[estimate]?.[when] ?? estimate;
    switch (estimate) {
      case "minutes":
      case "minutes_without_ai":
      case "minutes_with_ai":
        return [numberField(estimate, text, { min: "0.1", max: "10000", step: "any", required: "" })];
      case "success":
        return [numberField(estimate, text, { min: "0", max: "100", step: "any", required: "" })];
      case "difficulty":
        return [choice(estimate, text, SCALE, true)];
      case "prior_exposure":
        return [choice(estimate, text, EXPOSURES, true)];
      case "external_help":
        return [
          choice(estimate, text, YES_NO, true),
          field("help_note", t("If so, what was it? (optional)"), element("textarea", { rows: "2" })),
        ];
      default:
        return [];
    }
  });
}

/** The answers in these fields. */
export function readEstimates(data: FormData, asked: readonly string[]): Estimates {
  const said: Estimates = {};
  for (const estimate of asked) {
    const value = fieldValue(data, estimate);
    if (estimate === "minutes") said.minutes = Number(value);
    if (estimate === "minutes_without_ai") said.minutesWithoutAi = Number(value);
    if (estimate === "minutes_with_ai") said.minutesWithAi = Number(value);
    if (estimate === "difficulty") said.difficulty = Number(value);
    if (estimate === "success") said.success = Number(value) / 100;
    if (estimate === "prior_exposure") said.priorExposure = EXPOSURES.find(([word]) => word === value)?.[0] ?? null;
    if (estimate === "external_help") {
      said.externalHelp = value === "yes";
      said.helpNote = fieldValue(data, "help_note").trim();
    }
  }
  return said;
}

/** Fields of a questionnaire. */
export function questionFields(questions: readonly StudyQuestionView[]): Node[] {
  return questions.map(({ id, ask, kind, choices, required }) => {
    const text = required ? ask : t("{0} (optional)", ask);
    switch (kind) {
      case "text":
        return field(id, text, element("textarea", { rows: "4", ...(required && { required: "" }) }));
      case "number":
        return numberField(id, text, { step: "any", ...(required && { required: "" }) });
      case "scale":
        return choice(id, text, SCALE, required);
      case "yes-no":
        return choice(id, text, YES_NO, required);
      case "choice":
        return choice(
          id,
          text,
          choices.map((one) => [one, one] as const),
          required,
        );
    }
  });
}

/** Answers by question; what stayed empty is left out. */
export function readQuestions(data: FormData, questions: readonly StudyQuestionView[]): QuestionnaireParams["answers"] {
  const answers: QuestionnaireParams["answers"] = {};
  for (const { id, kind } of questions) {
    const value = fieldValue(data, id).trim();
    if (value === "") continue;
    if (kind === "number" || kind === "scale") answers[id] = Number(value);
    else answers[id] = kind === "yes-no" ? value === "yes" : value;
  }
  return answers;
}

function numberField(name: string, text: string, limits: Readonly<Record<string, string>>): Node {
  return field(name, text, element("input", { type: "number", inputmode: "decimal", ...limits }));
}

function field(name: string, text: string, input: HTMLElement): Node {
  input.setAttribute("name", name);
  input.id = `field-${name}`;
  return element("div", { class: "written field" }, element("label", { for: input.id }, text), input);
}

function choice(
  name: string,
  text: string,
  values: readonly (readonly [value: string, label: string])[],
  required: boolean,
): Node {
  const choices = values.map(([value, label]) =>
    element(
      "label",
      {},
      element("input", { type: "radio", name, value, ...(required && { required: "" }) }),
      ` ${label}`,
    ),
  );
  return element("fieldset", { class: "scale field" }, element("legend", {}, text), ...choices);
}
