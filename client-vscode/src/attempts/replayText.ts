import { t } from "@vscode/l10n";
import { clockTime, spokenTime } from "../text/duration.ts";
import type { ReplayMark, ReplayView } from "../generated/protocol.ts";
import { word } from "../text/words.ts";

const KINDS: Readonly<Partial<Record<ReplayMark["kind"], string>>> = {
  opened: t("the problem was opened"),
  started: t("the clock was started"),
  paused: t("the clock was paused"),
  resumed: t("the clock was resumed"),
  save: t("saved"),
  run_started: t("a run of the tests began"),
  run_finished: t("a run of the tests ended"),
  run_cancelled: t("a run of the tests was cancelled"),
  answered: t("the answer was scored"),
  diagnostics: t("the diagnostics changed"),
  text: t("the file changed outside the editor"),
  agent_connection: t("an agent came or went"),
  tool_called: t("the agent called a tool"),
  tool_finished: t("the agent's tool ended"),
  focus: t("the window gained or lost the focus"),
  idle: t("a period without activity began or ended"),
  tick: t("heartbeat"),
  submitted: t("submitted"),
  abandoned: t("given up"),
  timed_out: t("the time ran out"),
  forecast: t("the forecast was given"),
  self_estimate: t("the self-estimate was given"),
  assist_shown: t("a completion was offered"),
  assist_accepted: t("a completion was accepted"),
  assist_rejected: t("a completion was rejected"),
  violation: t("a violation of the condition was detected"),
};

const ORIGINS: Readonly<Record<string, string>> = {
  typed: t("typed"),
  paste: t("pasted"),
  completion: t("an assistant's completion"),
  "completion-part": t("part of an assistant's completion"),
  "own-completion": t("a completion of Benchwright's assistant"),
  chat: t("written by a chat"),
  agent: t("written by an agent"),
  suggestion: t("selected from the suggestions"),
  snippet: t("a snippet"),
  undo: t("undone or redone"),
  format: t("changed by a tool"),
  outside: t("changed by another program"),
  unknown: t("of unknown origin"),
};

/** Events that a viewer does not step to: they say nothing about the work. */
const QUIET: readonly ReplayMark["kind"][] = ["tick", "edit_reason", "command", "environment", "assigned", "consent"];

/** The events that a scrubber stops at, in their order. */
export function stops(view: ReplayView): ReplayMark[] {
  return view.marks.filter(({ kind }) => !QUIET.includes(kind));
}

/** Index of the last stop at or before a time; 0 before the first. */
export function stopAt(marks: readonly ReplayMark[], atS: number): number {
  let [low, high] = [0, marks.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((marks[middle]?.atS ?? 0) <= atS) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What happened, in a few words. */
export function markText(mark: ReplayMark): string {
  const where = mark.path ? `${mark.path}: ` : "";
  if (mark.kind !== "edit" && mark.kind !== "edit_shape") {
    return `${where}${KINDS[mark.kind] ?? mark.kind.replaceAll("_", " ")}`;
  }
  return `${where}${editText(mark.length ?? 0, ORIGINS[mark.origin ?? "unknown"] ?? mark.origin ?? "")}`;
}

function editText(inserted: number, origin: string): string {
  if (inserted === 0) return t("text deleted, {0}", origin);
  return inserted === 1 ? t("1 character {0}", origin) : t("{0} characters {1}", inserted, origin);
}

/** A moment as a screen reader should say it. */
export function spokenMark(mark: ReplayMark): string {
  return `${spokenTime(mark.atS)}: ${markText(mark)}`;
}

/** A run or a pause on the timeline. */
export interface Stretch {
  readonly kind: "run" | "pause";
  readonly fromS: number;
  readonly toS: number;
  /** `passed`, `failed` … of a run, as a class. */
  readonly outcome: string;
  readonly text: string;
}

/** Runs and pauses in the order of their beginning, each in words. */
export function stretches(view: ReplayView): Stretch[] {
  const runs = view.runs.map((span): Stretch => {
    const text = t("Run {0}, {1}: {2}", span.run ?? "", word(span.what), between(span.fromS, span.toS));
    return { kind: "run", fromS: span.fromS, toS: span.toS, outcome: span.what.replaceAll(" ", "-"), text };
  });
  const pauses = view.pauses.map((span): Stretch => {
    const when = between(span.fromS, span.toS);
    const text = span.what ? t("Pause ({0}): {1}", span.what, when) : t("Pause: {0}", when);
    return { kind: "pause", fromS: span.fromS, toS: span.toS, outcome: "", text };
  });
  return [...runs, ...pauses].sort((one, other) => one.fromS - other.fromS);
}

/** The range of a string that differs from an earlier version. */
export function changedPart(before: string, now: string): readonly [from: number, to: number] {
  const shorter = Math.min(before.length, now.length);
  let from = 0;
  while (from < shorter && before[from] === now[from]) from += 1;
  let behind = 0;
  while (behind < shorter - from && before[before.length - 1 - behind] === now[now.length - 1 - behind]) behind += 1;
  return [from, now.length - behind];
}

function between(fromS: number, toS: number): string {
  return t("{0} to {1}", clockTime(fromS), clockTime(toS));
}

/** The number of the newest run on the timeline; 0 without one. */
export function newestRun({ runs }: ReplayView): number {
  return Math.max(0, ...runs.map(({ run }) => run ?? 0));
}
