import { t } from "@vscode/l10n";
import type { PackSummary, ProblemSummary } from "../generated/protocol.ts";
import { STANDINGS } from "../text/standing.ts";

/** What the rows of the problem list are put under. */
export type Grouping = "pack" | "state" | "kind" | "category" | "difficulty";

export const GROUPINGS: Readonly<Record<Grouping, string>> = {
  pack: t("Pack"),
  state: t("State"),
  kind: t("Kind"),
  category: t("Category"),
  difficulty: t("Difficulty"),
};

/** A heading of the problem list, with all problems below it. */
export interface Group {
  readonly id: string;
  readonly label: string;
  readonly grouping: Grouping;
  readonly pack?: PackSummary;
  readonly problems: readonly ProblemSummary[];
  /** Headings below it; if there are none, the problems are its rows. */
  readonly parts: readonly Group[];
}

/** The most rows a pack shows without headings of categories. */
const LONG = 40;

const DIFFICULTIES = ["easy", "medium", "hard"];

/** The problem list: the problems that hold every word of a filter, under headings. */
export function grouped(packs: readonly PackSummary[], grouping: Grouping, filter: string): Group[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = packs.map((pack) => ({
    ...pack,
    problems: pack.problems.filter((problem) => matches(pack, problem, words)),
  }));
  if (grouping !== "pack") return parts("", matching.flatMap(({ problems }) => problems), grouping);
  return matching
    .filter(({ problems }) => words.length === 0 || problems.length > 0)
    .map((pack) => {
      const isLong = pack.problems.length > LONG;
      return {
        id: pack.name,
        label: pack.title,
        grouping,
        pack,
        problems: pack.problems,
        parts: isLong ? parts(`${pack.name}/`, pack.problems, "category") : [],
      };
    });
}

/** The problem to do after another: the next of its pack that was not passed yet, at the end from the beginning. */
export function nextProblem(packs: readonly PackSummary[], ref: string | undefined): ProblemSummary | undefined {
  const pack = packs.find(({ problems }) => problems.some((problem) => problem.ref === ref));
  if (!pack) return undefined;
  const at = pack.problems.findIndex((problem) => problem.ref === ref);
  const others = [...pack.problems.slice(at + 1), ...pack.problems.slice(0, at)];
  return others.find(({ state }) => state !== "passed");
}

/** How many problems a list shows. */
export function countOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { problems }) => sum + problems.length, 0);
}

function matches(pack: PackSummary, problem: ProblemSummary, words: readonly string[]): boolean {
  const { title, ref, kind, category, categoryName, difficulty, state } = problem;
  const text = [title, ref, pack.title, kind, category, categoryName, difficulty, state].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function parts(prefix: string, problems: readonly ProblemSummary[], grouping: Exclude<Grouping, "pack">): Group[] {
  const found = new Map<string, ProblemSummary[]>();
  for (const problem of problems) {
    const label = labelOf(problem, grouping);
    const there = found.get(label);
    if (there) there.push(problem);
    else found.set(label, [problem]);
  }
  return [...found]
    .map(([label, inside]) => ({ id: `${prefix}${grouping}:${label}`, label, grouping, problems: inside, parts: [] }))
    .sort((one, other) => compare(one.label, other.label, grouping));
}

function labelOf(problem: ProblemSummary, grouping: Exclude<Grouping, "pack">): string {
  return grouping === "category" ? problem.categoryName : problem[grouping] || t("not stated");
}

function compare(one: string, other: string, grouping: Grouping): number {
  const order: readonly string[] = grouping === "difficulty" ? DIFFICULTIES : grouping === "state" ? STANDINGS : [];
  const places = [one, other].map((label) => (order.includes(label) ? order.indexOf(label) : order.length));
  return (places[0] ?? 0) - (places[1] ?? 0) || one.localeCompare(other);
}
