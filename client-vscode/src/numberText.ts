import { clockTime } from "./duration.ts";
import type { OthersView, OwnNumber } from "./generated/protocol.ts";

/** A value in words; a dash if it is not known. */
export function known<T>(value: T | null, text: (value: T) => string): string {
  return value === null ? "–" : text(value);
}

/** How an attempt ended. */
export function resultText({ state, passed }: OwnNumber): string {
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

/** How others did at a problem. */
export function othersText({ attempts, solved, quarterMin, halfMin, threeQuartersMin }: OthersView): string {
  const share = `${solved} of ${attempts} solved it.`;
  const parts: [string, number | null][] = [["A quarter", quarterMin], ["half", halfMin], ["three quarters", threeQuartersMin]];
  const reached = parts.flatMap(([part, minutes]) => (minutes === null ? [] : [`${part} after ${clockTime(60 * minutes)}`]));
  return reached.length === 0 ? share : `${share} ${reached.join(", ")}, by an estimate that includes those who gave up.`;
}
