import type { VerdictView } from "./generated/protocol.ts";

/** A verdict in a few words, for the status bar. */
export interface VerdictText {
  /** Codicon id. */
  readonly icon: string;
  readonly short: string;
  /** The same as a sentence, for screen readers and headings. */
  readonly spoken: string;
}

/** Words for reasons whose own name says too little. */
const REASON_WORDS: Readonly<Record<string, string>> = {
  machine_busy: "machine overloaded",
  sandbox_unavailable: "no sandbox",
  bad_harness: "tests can't run",
};

/** The answer is kept; a judge decides it later. */
const WAITING = { icon: "watch", short: "waiting for a judge", spoken: "The answer is waiting for a judge" };

/** Failures that are not about single tests: in a few words, and as a sentence. */
const FAILURES: Readonly<Record<string, readonly [string, string]>> = {
  build_failed: ["build failed", "The design does not build"],
  no_results: ["no results", "The simulation ended before its tests"],
  timeout: ["time limit", "The run reached its time limit"],
  memory: ["memory limit", "The run used too much memory"],
  folder_quota: ["file quota exceeded", "The run wrote too much"],
  output_quota: ["too much output", "The run printed too much"],
  empty: ["empty", "There is no answer"],
  declined: ["no answer", "The answer declines to solve the problem"],
  unreadable: ["unreadable", "The answer can't be read"],
  refused: ["refused", "The design was not run because it uses a forbidden construct"],
  tampered: ["results not credible", "The results of the run contradict each other"],
};

export function verdictText(view: VerdictView, kind: string): VerdictText {
  // A study may show only that there was a run.
  if (view.outcome === "recorded") return { icon: "circle-filled", short: "recorded", spoken: "The run was recorded" };
  if (view.reason === "judge_unavailable" || view.reason === "judge_error") return WAITING;
  if (kind !== "design" && view.outcome !== "error") {
    if (view.outcome === "passed") return { icon: "check", short: "correct", spoken: "The answer is correct" };
    const [short, spoken] = FAILURES[view.reason] ?? ["incorrect", "The answer is incorrect"];
    return { icon: "x", short, spoken };
  }
  const tests = view.tests ?? undefined;
  const count = tests && `${tests.passed}/${tests.total}`;
  const spokenCount = tests ? `: ${tests.passed} of ${tests.total}` : "";
  switch (view.outcome) {
    case "passed":
      return { icon: "check", short: count ?? "passed", spoken: `Hidden tests passed${spokenCount}` };
    case "failed": {
      const [short, spoken] = FAILURES[view.reason] ?? [
        count ?? "failed",
        `Hidden tests failed${spokenCount}${tests ? " passed" : ""}`,
      ];
      return { icon: "x", short, spoken };
    }
    default: {
      const words = REASON_WORDS[view.reason] ?? view.reason.replaceAll("_", " ");
      return { icon: "warning", short: words, spoken: `Undecided: ${words}` };
    }
  }
}

/** What the problem lets the solver see, as a sentence. */
export function revealSentence(reveal: string, kind: string): string {
  if (reveal === "none") return "This study shows no results.";
  if (kind !== "design") return "This question shows only whether the answer is correct.";
  switch (reveal) {
    case "names":
      return "This problem shows test names only.";
    case "messages":
      return "This problem shows test names and failure messages, but no log.";
    case "full":
      return "This problem shows test names, failure messages and the log.";
    default:
      return "This problem shows only whether the hidden tests pass.";
  }
}
