import type { ProblemSummary } from "./generated/protocol.ts";
import { clockTime, spokenTime } from "./duration.ts";

/** `12:03 · easy`: all that a narrow side bar has room for beside a title; the icon shows the state. */
export function rowDescription(problem: ProblemSummary): string {
  const best = problem.bestTimeS ?? undefined;
  return [...(problem.state === "passed" && best !== undefined ? [clockTime(best)] : []), problem.difficulty].join(" · ");
}

/** `passed 12:03 · easy · design · RTL generation`, for a list as wide as the window. */
export function problemDescription(problem: ProblemSummary): string {
  return [stateWords(problem, clockTime), problem.difficulty, problem.kind, problem.categoryName].join(" · ");
}

/** The whole row as a screen reader should say it. */
export function problemSpoken(problem: ProblemSummary): string {
  const { title, difficulty, kind, categoryName } = problem;
  return [title, stateWords(problem, spokenTime), difficulty, kind, categoryName].join(", ");
}

/** Everything known about a problem, one fact per line. */
export function problemTooltip(problem: ProblemSummary): string {
  const best = problem.bestTimeS ?? undefined;
  return [
    problem.title,
    `Name: ${problem.ref}`,
    `Kind: ${problem.kind}`,
    `Category: ${problem.categoryName} (${problem.category})`,
    `Difficulty: ${problem.difficulty}`,
    `State: ${problem.state}`,
    `Attempts: ${problem.attempts ?? 0}`,
    ...(best === undefined ? [] : [`Best time: ${clockTime(best)}`]),
  ].join("\n");
}

/** Codicon id: the shape shows the state, the colour only repeats it. */
export function problemIcon(state: ProblemSummary["state"]): string {
  switch (state) {
    case "passed":
      return "pass-filled";
    case "attempted":
      return "edit";
    case "waiting for a judge":
      return "watch";
    case "failed":
      return "error";
    default:
      return "circle-outline";
  }
}

function stateWords(problem: ProblemSummary, time: (seconds: number) => string): string {
  const best = problem.bestTimeS ?? undefined;
  return problem.state === "passed" && best !== undefined ? `passed ${time(best)}` : problem.state;
}
