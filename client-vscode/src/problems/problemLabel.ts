import { t } from "@vscode/l10n";
import type { ProblemSummary } from "../generated/protocol.ts";
import { clockTime, spokenTime } from "../text/duration.ts";
import type { Grouping } from "./problemList.ts";
import { standingIcon, standingText } from "../text/standing.ts";
import { word } from "../text/words.ts";

/**
 * `12:03`: all that a narrow side bar has room for beside a title; the icon shows the state, the badge the difficulty.
 * Under headings of difficulties, the kind too: `12:03 · design`.
 */
export function rowDescription(problem: ProblemSummary, grouping: Grouping = "pack"): string {
  const best = problem.bestTimeS ?? undefined;
  const time = problem.state === "passed" && best !== undefined ? [clockTime(best)] : [];
  return [...time, ...(grouping === "difficulty" ? [word(problem.kind)] : [])].join(" · ");
}

/** The first letter of a difficulty, at the end of its row, where no title pushes it out of sight. */
export function difficultyBadge(difficulty: string): string {
  return word(difficulty).slice(0, 1).toUpperCase();
}

/** `passed 12:03 · easy · design · RTL generation`, for a list as wide as the window. */
export function problemDescription(problem: ProblemSummary): string {
  return [stateWords(problem, clockTime), word(problem.difficulty), word(problem.kind), problem.categoryName].join(" · ");
}

/** The whole row as a screen reader should say it. */
export function problemSpoken(problem: ProblemSummary): string {
  const { title, difficulty, kind, categoryName } = problem;
  return [title, stateWords(problem, spokenTime), word(difficulty), word(kind), categoryName].join(", ");
}

/** Everything known about a problem. */
export function problemFacts(problem: ProblemSummary): (readonly [string, string])[] {
  const best = problem.bestTimeS ?? undefined;
  return [
    [t("Name"), problem.ref],
    [t("Kind"), word(problem.kind)],
    [t("Category"), `${problem.categoryName} (${problem.category})`],
    [t("Difficulty"), word(problem.difficulty)],
    [t("State"), withAgent(problem, standingText({ ...problem, standing: problem.state }))],
    [t("Attempts"), String(problem.attempts ?? 0)],
    ...(best === undefined ? [] : [[t("Best time"), clockTime(best)] as const]),
  ];
}

/** The same, one fact per line. */
export function problemTooltip(problem: ProblemSummary): string {
  return [problem.title, ...problemFacts(problem).map(([name, value]) => `${name}: ${value}`)].join("\n");
}

/** Codicon id: the shape shows the state, the colour only repeats it. */
export function problemIcon(state: ProblemSummary["state"]): string {
  return standingIcon(state);
}

function stateWords(problem: ProblemSummary, time: (seconds: number) => string): string {
  const best = problem.bestTimeS ?? undefined;
  const passedIn = problem.state === "passed" && best !== undefined;
  return withAgent(problem, passedIn ? t("passed {0}", time(best)) : word(problem.state));
}

function withAgent(problem: ProblemSummary, words: string): string {
  return problem.passedWithAgent ? t("{0}, with an agent", words) : words;
}
