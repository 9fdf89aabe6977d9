import { clockTime, spokenTime } from "./duration.ts";
import type { ReplayMark, ReplayView } from "./generated/protocol.ts";

const KINDS: Readonly<Partial<Record<ReplayMark["kind"], string>>> = {
  opened: "the problem was opened",
  started: "the clock was started",
  paused: "the clock was paused",
  resumed: "the clock was resumed",
  save: "saved",
  run_started: "a run of the tests began",
  run_finished: "a run of the tests ended",
  run_cancelled: "a run of the tests was cancelled",
  answered: "the answer was scored",
  diagnostics: "the diagnostics changed",
  text: "the file changed outside the editor",
  focus: "the window gained or lost the focus",
  idle: "a period without activity began or ended",
  tick: "heartbeat",
  submitted: "submitted",
  abandoned: "given up",
  timed_out: "the time ran out",
  forecast: "the forecast was given",
  self_estimate: "the self-estimate was given",
  assist_shown: "a completion was offered",
  assist_accepted: "a completion was accepted",
  assist_rejected: "a completion was rejected",
  violation: "a violation of the condition was detected",
};

const ORIGINS: Readonly<Record<string, string>> = {
  typed: "typed",
  paste: "pasted",
  completion: "an assistant's completion",
  "completion-part": "part of an assistant's completion",
  "own-completion": "a completion of Benchwright's assistant",
  chat: "written by a chat or an agent",
  suggestion: "selected from the suggestions",
  snippet: "a snippet",
  undo: "undone or redone",
  format: "changed by a tool",
  outside: "changed by another program",
  unknown: "of unknown origin",
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
  const length = mark.length ?? 0;
  const amount = length > 0 ? `${length} ${length === 1 ? "character" : "characters"} ` : "text deleted, ";
  return `${where}${amount}${ORIGINS[mark.origin ?? "unknown"] ?? mark.origin}`;
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
  /** `passed`, `failed` … of a run. */
  readonly outcome: string;
  readonly text: string;
}

/** Runs and pauses in the order of their beginning, each in words. */
export function stretches(view: ReplayView): Stretch[] {
  const runs = view.runs.map((span, index): Stretch => {
    const text = `Run ${index + 1}, ${span.what || "without a verdict"}: ${between(span.fromS, span.toS)}`;
    return { kind: "run", fromS: span.fromS, toS: span.toS, outcome: span.what, text };
  });
  const pauses = view.pauses.map((span): Stretch => {
    const text = `Pause${span.what ? ` (${span.what})` : ""}: ${between(span.fromS, span.toS)}`;
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
  return `${clockTime(fromS)} to ${clockTime(toS)}`;
}
