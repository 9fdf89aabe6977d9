import { alone, share } from "./arithmetic.ts";
import type { LoggedAttempt } from "./studyReport.ts";

/** What a walk through the study of three tasks leaves behind, and its report must show. */
export interface Walked {
  readonly practice: LoggedAttempt;
  /** Alone: paused, pasted, passed. */
  readonly arbiter: LoggedAttempt;
  /** With an assistant: typed, took a completion, failed. */
  readonly fifo: LoggedAttempt;
  /** Alone: given up soon. */
  readonly uart: LoggedAttempt;
  /** Characters that were pasted, and typed. */
  readonly pasted: number;
  readonly typed: number;
  /** The text of the completion that was accepted. */
  readonly completion: string;
  /** What `study close` printed. */
  readonly digest: string;
}

/** A section of `report.json`. */
export interface Section {
  readonly title: string;
  readonly role: string | null;
  readonly says: readonly unknown[];
  readonly without: string | null;
  readonly numbers: object;
  readonly tables: readonly { title: string; columns: readonly string[]; rows: readonly (readonly unknown[])[] }[];
  readonly pictures: readonly object[];
}

/** Minutes that count: to the pass of the arbiter, and to the ends of the others. */
export function minutes({ arbiter, fifo, uart }: Walked): { pass: number; failed: number; gaveUp: number } {
  return {
    pass: arbiter.clockSeconds("run_finished") / 60,
    failed: fifo.clockSeconds() / 60,
    gaveUp: uart.clockSeconds() / 60,
  };
}

/** A section without anything to report, and why. */
export function empty(title: string, without: string): Omit<Section, "role"> {
  return { title, says: [], without, numbers: {}, tables: [], pictures: [] };
}

/** Shares of one attempt or of two. */
export const [ALL, HALF, NONE] = [share(1, 1), share(1, 2), share(0, 1)];

export const FEW = "Too few participants for an interval: 1, and it takes 5.";

/** An estimate from attempts of one person, each at a problem of its own. */
export function few(value: number, attempts: number): object {
  return {
    ...{ ...alone(value), standard_error: null, degrees_of_freedom: null, p_value: null, clusters: 0 },
    ...{ attempts, participants: 1, problems: attempts, within: false, note: FEW },
  };
}
