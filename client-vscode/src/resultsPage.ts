import type { AttemptStatus, SubmitSummary, TestLine } from "./generated/protocol.ts";
import { clockTime } from "./duration.ts";
import { revealSentence, verdictText } from "./verdict.ts";

/** A button of the results view: the command's name without its prefix. */
export type ResultsAction = "openProblem" | "start" | "resume" | "run" | "cancelRun" | "submit";

/** What the results view shows, ready to be put on the page as text. */
export interface ResultsPage {
  readonly title: string;
  readonly outcome: "passed" | "failed" | "error" | "running" | "none";
  readonly headline: string;
  readonly message: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly lines: readonly TestLine[];
  readonly log: string;
  readonly policy: string;
  readonly actions: readonly { readonly command: ResultsAction; readonly label: string }[];
}

export function resultsPage(status: AttemptStatus | undefined, summary?: SubmitSummary): ResultsPage {
  if (status === undefined) {
    return {
      ...EMPTY,
      headline: "No problem is open",
      message: "Open a problem from the list to begin.",
      actions: [{ command: "openProblem", label: "Open Problem…" }],
    };
  }
  const verdict = status.verdict ?? undefined;
  const shown = status.running ? undefined : verdict;
  return {
    title: status.title,
    outcome: status.running ? "running" : outcome(shown?.outcome),
    headline: headline(status),
    message: shown?.message ?? "",
    facts: [...verdictFacts(shown), ...attemptFacts(status, summary)],
    lines: shown?.lines ?? [],
    log: shown?.log ?? "",
    policy: verdict ? revealSentence(verdict.reveal, status.kind) : "",
    actions: actions(status),
  };
}

/** How a submitted attempt ended, in one sentence. */
export function summarySentence(summary: SubmitSummary): string {
  const { status } = summary;
  const verdict = status.verdict ?? undefined;
  const result = verdict ? verdictText(verdict, status.kind).spoken : "No verdict";
  const first = firstPass(summary);
  return (
    [
      `“${status.title}” submitted. ${result}`,
      ...times(status).map(([active, total]) => `active time ${active} of ${total}`),
      `${status.runs} ${status.runs === 1 ? "run" : "runs"}`,
      ...(first ? [`first pass at ${first}`] : []),
    ].join(", ") + "."
  );
}

const EMPTY: ResultsPage = {
  title: "",
  outcome: "none",
  headline: "",
  message: "",
  facts: [],
  lines: [],
  log: "",
  policy: "",
  actions: [],
};

function outcome(word: string | undefined): ResultsPage["outcome"] {
  if (word === undefined || word === "recorded") return "none";
  return word === "passed" || word === "failed" ? word : "error";
}

function headline(status: AttemptStatus): string {
  const question = status.kind !== "design";
  if (status.running) return question ? "The answer is being scored …" : "The hidden tests are running …";
  if (status.verdict) return verdictText(status.verdict, status.kind).spoken;
  switch (status.state) {
    case "open":
      return "The clock has not started";
    case "paused":
      return "The clock is paused";
    case "running":
      return question ? "No answer scored yet" : "The hidden tests have not run yet";
    default:
      return "This attempt ended without a verdict";
  }
}

function verdictFacts(verdict: AttemptStatus["verdict"]): [string, string][] {
  if (!verdict) return [];
  return [
    ...(verdict.tests
      ? [["Tests passed", `${verdict.tests.passed} of ${verdict.tests.total}`] as [string, string]]
      : []),
    ["Try", String(verdict.number)],
    ...(verdict.outcome === "recorded" ? [] : [["Run time", `${verdict.wallS.toFixed(1)} s`] as [string, string]]),
  ];
}

function attemptFacts(status: AttemptStatus, summary: SubmitSummary | undefined): [string, string][] {
  if (!summary) return [["Attempt", status.state]];
  return [
    ["Attempt", status.state],
    ...times(status).flatMap(([active, total]): [string, string][] => [
      ["Active time", active],
      ["Total time", total],
    ]),
    ["Runs", String(status.runs)],
    ["First pass", firstPass(summary) || "none"],
  ];
}

/** Active and total time, unless the study hides them. */
function times({ activeS, elapsedS }: AttemptStatus): [string, string][] {
  return activeS == null || elapsedS == null ? [] : [[clockTime(activeS), clockTime(elapsedS)]];
}

function firstPass({ firstPassS, firstPassRun }: SubmitSummary): string {
  const run = firstPassRun == null ? "" : `run ${firstPassRun}`;
  if (firstPassS == null) return run;
  return clockTime(firstPassS) + (run && ` (${run})`);
}

function actions(status: AttemptStatus): ResultsPage["actions"] {
  if (status.running) return [{ command: "cancelRun", label: "Cancel Run" }];
  switch (status.state) {
    case "open":
      return [{ command: "start", label: "Start the Clock" }];
    case "paused":
      return [{ command: "resume", label: "Resume the Clock" }];
    case "running":
      return [
        { command: "run", label: status.kind !== "design" ? "Score the Answer" : "Run Hidden Tests" },
        { command: "submit", label: "Submit" },
      ];
    default:
      return [];
  }
}
