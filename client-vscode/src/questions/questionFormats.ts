import { t } from "@vscode/l10n";
import { QUESTION_FORMATS } from "../generated/protocol.ts";

type AnsweredBy = (typeof QUESTION_FORMATS)[number]["answeredBy"];

/** Translated names; a format without one is called as in English. */
const NAMES: Readonly<Record<string, string>> = {
  "multiple-choice": t("Multiple-Choice Question"),
  "multiple-response": t("Multiple-Response Question"),
  assertion: t("True or False Question"),
  "fill-in-the-blank": t("Fill-in-the-Blank Question"),
  "open-ended": t("Open-Ended Question"),
  "free-response": t("Free-Response Question"),
};

/** Every format, with its name. */
export const FORMATS = QUESTION_FORMATS.map(({ value, label }) => [value, NAMES[value] ?? label] as const);

/** What answers questions of a format; undefined for what is no format. */
export function answeredBy(format: string): AnsweredBy | undefined {
  return QUESTION_FORMATS.find(({ value }) => value === format)?.answeredBy;
}

/** True if values to select from answer questions of a format. */
export function isSelected(format: string): boolean {
  return hasChoices(format) || answeredBy(format) === "truth";
}

/** True if questions of a format have choices with letters. */
export function hasChoices(format: string): boolean {
  return ["choice", "choices"].includes(answeredBy(format) ?? "");
}
