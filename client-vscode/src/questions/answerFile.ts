import { t } from "@vscode/l10n";
import type { AttemptStatus, Choice, Length } from "../generated/protocol.ts";

/** The value of the choice that `answer.md` names, if it names one. */
export function chosenValue(text: string, choices: readonly Choice[]): string | undefined {
  const answer = text.trim().toLowerCase();
  return choices.find((choice) => choice.value.toLowerCase() === answer)?.value;
}

/** The values of the choices that `answer.md` lists, such as "AC" or "A, C"; undefined if it is no such list. */
export function listedValues(text: string, choices: readonly Choice[]): readonly string[] | undefined {
  const listed = text.trim();
  const parts = /^[A-Z]*$/.test(listed) ? Array.from(listed) : listed.split(/\s*,\s*/);
  const values = parts.map((part) => chosenValue(part, choices));
  return new Set(values).size === values.length && values.every((value) => value !== undefined) ? values : undefined;
}

/** A number with its unit, such as "2.5 ns". */
const QUANTITY = /^\s*([-+−]?[\d.,'’ ]*\d(?:e[-+]?\d+)?)\s+([^\d\s].*?)\s*$/i;

/** What fills a blank: words, or a number and its unit. */
export interface Filling {
  readonly words: string;
  readonly unit: string;
}

/** What `answer.md` fills a blank with. */
export function fillingShown(answer: string): Filling {
  const [, words, unit] = QUANTITY.exec(answer) ?? [];
  return words === undefined || unit === undefined ? { words: answer, unit: "" } : { words, unit };
}

/** The content of `answer.md` for what fills a blank. */
export function fillingText({ words, unit }: Filling): string {
  return unit.trim() ? `${words.trim()} ${unit.trim()}` : words;
}

/** The content of `answer.md` for what the form holds: it ends with a line break unless it is empty. */
export function answerText(answer: string): string {
  return answer === "" || answer.endsWith("\n") ? answer : `${answer}\n`;
}

/** What the form shows of `answer.md`: without the line break of the last line, which belongs to the file. */
export function answerShown(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(/\n$/, "");
}

/** How long an answer is, in a line. */
export function answerLength({ words }: Length): string {
  return words === 1 ? t("1 word") : t("{0} words", words);
}

/** What saving an answer does, in the attempt's present state; only outside studies can it be scored before it is submitted. */
export function whatSavingDoes({ state, study }: Pick<AttemptStatus, "state" | "study">, isScoredOnSave: boolean): string {
  switch (state) {
    case "open":
      return t("Saving (Ctrl+S, ⌘S on a Mac) keeps your answer. Nothing is scored until the clock starts.");
    case "paused":
      return t("Saving (Ctrl+S, ⌘S on a Mac) keeps your answer. Nothing is scored until the clock is resumed.");
    case "running":
      if (isScoredOnSave) return t("Saving (Ctrl+S, ⌘S on a Mac) has your answer scored at once.");
      return study
        ? t("Saving (Ctrl+S, ⌘S on a Mac) keeps your answer. It is scored when you submit it.")
        : t("Saving (Ctrl+S, ⌘S on a Mac) keeps your answer. It is scored when you submit it, or before by “Score the Answer”.");
    default:
      return t("This attempt has ended. Saving the answer changes nothing about its result.");
  }
}
