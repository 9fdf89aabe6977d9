import type { Choice, Length } from "./generated/protocol.ts";

/** The value of the choice that `answer.md` names, if it names one. */
export function chosenValue(text: string, choices: readonly Choice[]): string | undefined {
  const answer = text.trim().toLowerCase();
  return choices.find((choice) => choice.value.toLowerCase() === answer)?.value;
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
export function answerLength({ words, tokens }: Length): string {
  const counted = `${words} ${words === 1 ? "word" : "words"}`;
  if (tokens == null) return `${counted}. Tokens can't be counted: run ./run --setup to install the token table.`;
  return `${counted}, ${tokens} ${tokens === 1 ? "token" : "tokens"}`;
}
