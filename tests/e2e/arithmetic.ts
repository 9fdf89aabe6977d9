/** What the report's numbers are compared with is worked out here, from the published formulas. */

export interface Interval {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface Share extends Interval {
  readonly count: number;
  readonly total: number;
}

/** A value that no interval can be given for: all attempts are one person's. */
export function alone(value: number | null): Interval {
  return { value, low: null, high: null };
}

/** A share of one person's attempts, which has no interval. */
export function share(count: number, total: number): Share {
  return { count, total, ...alone(total === 0 ? null : count / total) };
}

export function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Spearman's rank correlation: Pearson's of the ranks, equal values sharing theirs. */
export function spearman(first: readonly number[], second: readonly number[]): number {
  const [one, other] = [first, second].map((values) =>
    values.map((value) => mean([...values.keys()].filter((place) => [...values].sort(ascending)[place] === value))),
  ) as [number[], number[]];
  const [a, b] = [one, other].map((ranks) => ranks.map((rank) => rank - mean(ranks))) as [number[], number[]];
  const squares = (values: number[]): number => sum(values.map((value) => value ** 2));
  return sum(a.map((value, place) => value * b[place]!)) / Math.sqrt(squares(a) * squares(b));
}

function ascending(one: number, other: number): number {
  return one - other;
}

// As the report writes numbers for people

export function number(value: number, digits = 2): string {
  return value.toFixed(digits).replace("-", "−");
}

export function percent(value: number): string {
  return `${(100 * value).toFixed(1).replace(/\.0$/, "")} %`;
}

/** With so many significant digits, and no zeros behind them. */
export function significant(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}
