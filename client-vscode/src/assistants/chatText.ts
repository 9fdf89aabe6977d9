import { t } from "@vscode/l10n";
import { spokenTime } from "../text/duration.ts";
import { word } from "../text/words.ts";

/** What the tool `status` says of an attempt, as far as it is shown here. */
export interface Status {
  readonly state: string;
  readonly runs: number;
  readonly runs_allowed?: number;
  readonly active_s?: number;
  readonly remaining_s?: number;
  readonly view?: { readonly headline: string; readonly run?: number };
  readonly verdict?: { readonly number: number; readonly message?: string | null };
}

/** What the tool `hints` says. */
export interface Hints {
  readonly hints: number;
  readonly taken: readonly { readonly number: number; readonly text: string }[];
  readonly next: { readonly number: number; readonly costs: string; readonly waits_for: string | null } | null;
}

const BEFORE_STATUS = "\n\nStatus: ";

/** What the tool `problem` says, as Markdown for people: it ends with the status as the tool of that name says it. */
export function problemText(told: string): string {
  const end = told.lastIndexOf(BEFORE_STATUS);
  if (end < 0) return told;
  return `${told.slice(0, end)}\n\n${statusText(JSON.parse(told.slice(end + BEFORE_STATUS.length)) as Status)}`;
}

/** An attempt's status as Markdown. */
export function statusText(status: Status): string {
  const { runs, runs_allowed: allowed } = status;
  const ran = allowed === undefined ? String(runs) : t("{0} of {1}", runs, allowed);
  const lines = [t("State: {0}", word(status.state)), t("Runs of the hidden tests: {0}", ran)];
  if (status.active_s !== undefined) lines.push(t("Time at work: {0}", spokenTime(status.active_s)));
  if (status.remaining_s !== undefined) lines.push(t("Time left: {0}", spokenTime(status.remaining_s)));
  if (status.view?.run !== undefined) lines.push(t("Newest run: {0}", status.view.headline));
  const message = status.verdict?.message && status.verdict.number === status.view?.run ? `\n\n${status.verdict.message}` : "";
  return `${lines.map((line) => `- ${line}`).join("\n")}${message}`;
}

/** The hints that were taken, and what the next one costs or waits for, as Markdown. */
export function hintsText({ hints, taken, next }: Hints): string {
  const parts = taken.map(({ number, text }) => t("**Hint {0} of {1}.** {2}", number, hints, text));
  if (next?.waits_for) parts.push(t("Hint {0} can be taken after {1}.", next.number, next.waits_for));
  else if (next) parts.push(t("Hint {0} of {1} costs {2}.", next.number, hints, next.costs));
  else parts.push(t("There are no more hints."));
  return parts.join("\n\n");
}
