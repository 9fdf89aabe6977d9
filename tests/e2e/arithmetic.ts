/** What the report's numbers are compared with is worked out here, from the published formulas. */

/** 97.5 % of the normal distribution lie below it. */
const Z_975 = 1.959963984540054;

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

/** A share with Wilson's interval (1927), at 95 %. */
export function share(count: number, total: number): Share {
  if (total === 0) return { count, total, ...alone(null) };
  const value = count / total;
  const middle = (value + Z_975 ** 2 / (2 * total)) / (1 + Z_975 ** 2 / total);
  const spread = Math.sqrt((value * (1 - value)) / total + Z_975 ** 2 / (4 * total ** 2));
  const half = (Z_975 / (1 + Z_975 ** 2 / total)) * spread;
  return { count, total, value, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
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

/** A share with its interval. */
export function told({ value, low, high }: Share): string {
  return `${percent(value!)} (${percent(low!).replace(" %", "")} to ${percent(high!)})`;
}

/** With so many significant digits, and no zeros behind them. */
export function significant(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}
