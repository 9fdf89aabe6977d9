import type { AttemptStatus, CompilerLine, HintView, SubmitSummary, TestLine } from "./generated/protocol.ts";
import { clockTime } from "./duration.ts";
import { expectation, type Expectation } from "./expectation.ts";
import { revealSentence } from "./verdict.ts";

/** A button of the results view: the command's name without its prefix. */
export type ResultsAction = "openProblem" | "nextProblem" | "start" | "resume" | "run" | "cancelRun" | "submit" | "takeHint" | "explainVerdict";

/** A hidden test that failed. */
export interface FailedTest {
  readonly name: string;
  readonly message: string;
  readonly values: Expectation | undefined;
  /** Simulated time until it failed, such as `1,230 ns`; empty if it is not known. */
  readonly simTime: string;
}

/** What the results view shows, ready to be put on the page as text. */
export interface ResultsPage {
  readonly title: string;
  readonly outcome: "passed" | "failed" | "error" | "running" | "none";
  readonly headline: string;
  readonly message: string;
  readonly facts: readonly (readonly [string, string])[];
  /** What a compiler said, with its place in the workspace. */
  readonly compiler: readonly CompilerLine[];
  readonly failed: readonly FailedTest[];
  /** Names of the hidden tests that passed. */
  readonly passed: readonly string[];
  /** Hints that were taken, each with a heading. */
  readonly hints: readonly (readonly [string, string])[];
  readonly log: string;
  readonly policy: string;
  readonly actions: readonly { readonly command: ResultsAction; readonly label: string }[];
}

export function resultsPage(
  status: AttemptStatus | undefined,
  summary?: SubmitSummary,
  hints: readonly HintView[] = [],
): ResultsPage {
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
    message: message(status, shown),
    facts: [...verdictFacts(shown), ...attemptFacts(status, summary)],
    compiler: shown?.compiler ?? [],
    failed: (shown?.lines ?? []).filter(({ passed }) => !passed).map(failedTest),
    passed: (shown?.lines ?? []).filter(({ passed }) => passed).map(({ name }) => name),
    hints: hints.map(({ number, text, cost }) => [hintHeading(number, cost), text]),
    log: shown?.log ?? "",
    policy: verdict ? revealSentence(verdict.reveal, status.kind) : "",
    actions: actions(status),
  };
}

/** Headline and message for a form that has one line for both. */
export function inOneLine({ headline, message }: ResultsPage): string {
  return message ? `${headline}. ${message}` : headline;
}

/** How a submitted attempt ended, in one sentence. */
export function summarySentence(summary: SubmitSummary): string {
  const { status } = summary;
  const verdict = status.verdict ?? undefined;
  const result = verdict?.headline ?? "No verdict";
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
  compiler: [],
  failed: [],
  passed: [],
  hints: [],
  log: "",
  policy: "",
  actions: [],
};

function hintHeading(number: number, cost: number): string {
  return `Hint ${number}${cost ? `, ${Math.round(cost * 1000) / 10} % of the points` : ""}`;
}

function outcome(word: string | undefined): ResultsPage["outcome"] {
  if (word === undefined || word === "recorded") return "none";
  return word === "passed" || word === "failed" ? word : "error";
}

function headline(status: AttemptStatus): string {
  const question = status.kind !== "design";
  if (status.running) return question ? "The answer is being scored …" : "The hidden tests are running …";
  if (status.verdict) return status.verdict.headline;
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

/** What the verdict says, and what to do next once it is a pass. */
function message(status: AttemptStatus, shown: AttemptStatus["verdict"]): string {
  if (!shown) return "";
  // The list of the compiler's messages, or the headline, says the same.
  const said = shown.compiler?.length || shown.message === `${shown.headline}.` ? "" : shown.message;
  if (shown.outcome !== "passed" || status.state !== "running") return said;
  return `${said} Submit to end the attempt. Until then its clock runs on.`.trim();
}

function failedTest({ name, message: said, simTime }: TestLine): FailedTest {
  return { name, message: said ?? "", values: said ? expectation(said) : undefined, simTime: simTime ?? "" };
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
      return inOrder(status, [
        { command: "run", label: status.kind !== "design" ? "Score the Answer" : "Run Hidden Tests" },
        { command: "submit", label: "Submit" },
      ])
        .concat(isExplained(status) ? [{ command: "explainVerdict", label: "Explain the Failure" }] : [])
        .concat(status.aids?.includes("hints") ? [{ command: "takeHint", label: "Take a Hint…" }] : []);
    default:
      // A study leads on by itself.
      if (status.study) return [];
      return [
        { command: "nextProblem", label: "Next Problem" },
        { command: "openProblem", label: "Open Another Problem…" },
      ];
  }
}

function isExplained({ kind, verdict, aids }: AttemptStatus): boolean {
  return kind === "design" && verdict?.outcome === "failed" && (aids?.includes("explanations") ?? false);
}

/** The first button is the one to press next: after a pass, to submit. */
function inOrder(status: AttemptStatus, buttons: ResultsPage["actions"]): ResultsPage["actions"] {
  return status.verdict?.outcome === "passed" ? [...buttons].reverse() : buttons;
}
