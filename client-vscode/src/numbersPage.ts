import { clockTime } from "./duration.ts";
import type { OthersView, OwnNumber } from "./generated/protocol.ts";
import { plain, table } from "./markdown.ts";

/** One's own numbers under a heading: those of a study, or those outside studies. */
export interface NumbersGroup {
  readonly heading: string;
  readonly attempts: readonly OwnNumber[];
}

/** The participant's own numbers in Markdown. */
export function numbersPage(groups: readonly NumbersGroup[]): string {
  const filled = groups.filter(({ attempts }) => attempts.length > 0);
  if (filled.length === 0) return "# My Numbers\n\nThere are no attempts yet. Open a problem to begin.\n";
  return ["# My Numbers", ...filled.flatMap(groupPart), EXPLANATION, ""].join("\n\n");
}

const EXPLANATION =
  "Active time is the time on the clock; of a period without activity, at most the study's threshold counts (two minutes " +
  "outside studies). First pass is the active time until the hidden tests passed for the first time. Actual / forecast is " +
  "that time divided by your forecast: 2 is twice as long. From assistants is the share of the inserted text that came " +
  "from completions or a chat.";

// Two tables, because one with all columns is wider than a small screen.
const RESULTS = ["Problem", "Result", "Score", "Active time", "First pass", "Runs"];
const HELP = ["Problem", "Condition", "Forecast", "Actual / forecast", "From assistants"];

function groupPart({ heading, attempts }: NumbersGroup): string[] {
  const results = attempts.map((one) => [
    one.title,
    resultText(one),
    known(one.score, (score) => score.toFixed(2)),
    clockTime(60 * one.activeMin),
    known(one.firstPassMin, (minutes) => clockTime(60 * minutes)),
    String(one.runs),
  ]);
  const help = attempts.map((one) => [
    one.title,
    one.condition,
    known(one.forecastMin, (minutes) => `${minutes} min`),
    known(one.forecastRatio, (ratio) => ratio.toPrecision(2)),
    known(one.shareByAssistant, (share) => `${Math.round(100 * share)} %`),
  ]);
  const others = attempts.flatMap(({ title, others }) => (others ? [`- ${plain(title)}: ${othersText(others)}`] : []));
  return [
    `## ${plain(heading)}`,
    table(RESULTS, results),
    table(HELP, help),
    ...(others.length > 0 ? ["How others did:", others.join("\n")] : []),
  ];
}

function known(value: number | null, text: (value: number) => string): string {
  return value === null ? "–" : text(value);
}

function resultText({ state, passed }: OwnNumber): string {
  const ended = ENDED[state];
  if (ended === undefined) return "not ended";
  if (passed) return "passed";
  return passed == null ? ended : `${ended}, not passed`;
}

const ENDED: Readonly<Record<string, string>> = {
  submitted: "submitted",
  abandoned: "given up",
  timed_out: "out of time",
};

function othersText({ attempts, solved, quarterMin, halfMin, threeQuartersMin }: OthersView): string {
  const share = `${solved} of ${attempts} solved it.`;
  const parts: [string, number | null][] = [["A quarter", quarterMin], ["half", halfMin], ["three quarters", threeQuartersMin]];
  const reached = parts.flatMap(([part, minutes]) => (minutes === null ? [] : [`${part} after ${clockTime(60 * minutes)}`]));
  return reached.length === 0 ? share : `${share} ${reached.join(", ")}, by an estimate that includes those who gave up.`;
}
