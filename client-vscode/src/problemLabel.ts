import type { PackSummary, ProblemSummary } from "./generated/protocol.ts";
import { clockTime, spokenTime } from "./duration.ts";
import { plain, table } from "./markdown.ts";
import type { Grouping } from "./problemList.ts";

/**
 * `12:03 · easy`: all that a narrow side bar has room for beside a title; the icon shows the state.
 * Under headings of difficulties, the kind instead: `12:03 · design`.
 */
export function rowDescription(problem: ProblemSummary, grouping: Grouping = "pack"): string {
  const best = problem.bestTimeS ?? undefined;
  const time = problem.state === "passed" && best !== undefined ? [clockTime(best)] : [];
  return [...time, grouping === "difficulty" ? problem.kind : problem.difficulty].join(" · ");
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

/** Everything known about a problem. */
export function problemFacts(problem: ProblemSummary): (readonly [string, string])[] {
  const best = problem.bestTimeS ?? undefined;
  return [
    ["Name", problem.ref],
    ["Kind", problem.kind],
    ["Category", `${problem.categoryName} (${problem.category})`],
    ["Difficulty", problem.difficulty],
    ["State", problem.state],
    ["Attempts", String(problem.attempts ?? 0)],
    ...(best === undefined ? [] : [["Best time", clockTime(best)] as const]),
  ];
}

/** The same, one fact per line. */
export function problemTooltip(problem: ProblemSummary): string {
  return [problem.title, ...problemFacts(problem).map(([name, value]) => `${name}: ${value}`)].join("\n");
}

/** The same as a page in Markdown, with what is known of its pack. */
export function problemPage(problem: ProblemSummary, pack: PackSummary): string {
  const ofPack = [
    ["Pack", pack.title],
    ["Version", pack.version],
    ["Licence", pack.license],
  ] as const;
  return [
    `# ${plain(problem.title)}`,
    table(["Property", "Value"], [...problemFacts(problem), ...ofPack]),
    ...(pack.assistance ? [plain(pack.assistance)] : []),
    "Opening the problem shows its statement and does not start the clock.",
    "",
  ].join("\n\n");
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
