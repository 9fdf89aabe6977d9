import type { OwnNumber } from "../generated/protocol.ts";

/** One's own attempts under a heading: those of a study, or those outside studies. */
export interface NumbersGroup {
  readonly heading: string;
  readonly attempts: readonly OwnNumber[];
}

/** Where time went, in minutes. */
export interface Spent {
  readonly writing: number;
  readonly waiting: number;
  readonly reading: number;
}

/** What some attempts came to. */
export interface Sum {
  readonly name: string;
  readonly attempts: number;
  /** Null if no result of them is shown. */
  readonly passed: number | null;
  /** Null if no clock ran in any of them. */
  readonly activeMin: number | null;
  /** Median of the active minutes to the first pass; null if none passed. */
  readonly firstPassMin: number | null;
  readonly spent: Spent;
}

/** Attempts by what they have in common. */
export interface Progress {
  readonly all: Sum;
  /** By the Monday of the week in which they began, the first week first, weeks without attempts too. */
  readonly weeks: readonly Sum[];
  readonly packs: readonly Sum[];
  readonly categories: readonly Sum[];
  readonly skills: readonly Sum[];
}

const DAY_MS = 86_400_000;
/** Earlier weeks would make the newest too narrow to read. */
const MOST_WEEKS = 26;

/** What a person's attempts come to. */
export function progress(attempts: readonly OwnNumber[]): Progress {
  return {
    all: sum("", attempts),
    weeks: weeks(attempts),
    packs: grouped(attempts, ({ problem }) => problem.split("/")[0] ?? ""),
    categories: grouped(attempts, ({ category }) => category),
    skills: grouped(attempts, ({ skill }) => skill),
  };
}

function grouped(attempts: readonly OwnNumber[], nameOf: (attempt: OwnNumber) => string): Sum[] {
  return [...groups(attempts, nameOf)]
    .filter(([name]) => name !== "")
    .map(([name, members]) => sum(name, members))
    .sort((one, other) => one.name.localeCompare(other.name));
}

function groups(attempts: readonly OwnNumber[], nameOf: (attempt: OwnNumber) => string): Map<string, OwnNumber[]> {
  const found = new Map<string, OwnNumber[]>();
  for (const one of attempts) {
    const name = nameOf(one);
    found.set(name, [...(found.get(name) ?? []), one]);
  }
  return found;
}

function weeks(attempts: readonly OwnNumber[]): Sum[] {
  const byWeek = groups(
    attempts.filter(({ started }) => started !== ""),
    ({ started }) => monday(new Date(started)),
  );
  const known = [...byWeek.keys()].sort();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  const all: string[] = [];
  for (let week = first; week <= last; week = monday(new Date(Date.parse(`${week}T12:00:00`) + 7 * DAY_MS))) all.push(week);
  return all.slice(-MOST_WEEKS).map((week) => sum(week, byWeek.get(week) ?? []));
}

/** The Monday of a date's week by the local calendar, such as `2026-03-02`. */
export function monday(date: Date): string {
  const day = new Date(date.getFullYear(), date.getMonth(), date.getDate() - ((date.getDay() + 6) % 7));
  const two = (number: number) => String(number).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

function sum(name: string, attempts: readonly OwnNumber[]): Sum {
  const known = attempts.filter(({ passed }) => passed !== null);
  const passes = attempts.flatMap(({ firstPassMin }) => (firstPassMin === null ? [] : [firstPassMin]));
  const total = (of: (attempt: OwnNumber) => number) => attempts.reduce((sum, one) => sum + of(one), 0);
  return {
    name,
    attempts: attempts.length,
    passed: known.length > 0 ? known.filter(({ passed }) => passed).length : null,
    activeMin: attempts.some(({ activeMin }) => activeMin !== null) ? total(({ activeMin }) => activeMin ?? 0) : null,
    firstPassMin: median(passes),
    spent: {
      writing: total(({ spent }) => spent.writingMin),
      waiting: total(({ spent }) => spent.waitingMin),
      reading: total(({ spent }) => spent.readingMin),
    },
  };
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
