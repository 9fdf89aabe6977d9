import { spokenTime } from "./duration.ts";

/** What the tool `status` says of an attempt, as far as it is shown here. */
export interface Status {
  readonly state: string;
  readonly runs: number;
  readonly runs_allowed?: number;
  readonly active_s?: number;
  readonly remaining_s?: number;
  readonly verdict?: { readonly headline: string; readonly message?: string | null };
}

/** What the tool `hints` says. */
export interface Hints {
  readonly hints: number;
  readonly taken: readonly { readonly number: number; readonly text: string }[];
  readonly next: { readonly number: number; readonly costs: string; readonly waits_for: string | null } | null;
}

/** An attempt's status as Markdown. */
export function statusText(status: Status): string {
  const of = status.runs_allowed === undefined ? "" : ` of ${status.runs_allowed}`;
  const lines = [`State: ${status.state}`, `Runs of the hidden tests: ${status.runs}${of}`];
  if (status.active_s !== undefined) lines.push(`Time at work: ${spokenTime(status.active_s)}`);
  if (status.remaining_s !== undefined) lines.push(`Time left: ${spokenTime(status.remaining_s)}`);
  if (status.verdict) lines.push(`Newest run: ${status.verdict.headline}`);
  const message = status.verdict?.message ? `\n\n${status.verdict.message}` : "";
  return `${lines.map((line) => `- ${line}`).join("\n")}${message}`;
}

/** The hints that were taken, and what the next one costs or waits for, as Markdown. */
export function hintsText({ hints, taken, next }: Hints): string {
  const parts = taken.map(({ number, text }) => `**Hint ${number} of ${hints}.** ${text}`);
  if (next?.waits_for) parts.push(`Hint ${next.number} can be taken after ${next.waits_for}.`);
  else if (next) parts.push(`Hint ${next.number} of ${hints} costs ${next.costs}.`);
  else parts.push("There are no more hints.");
  return parts.join("\n\n");
}
