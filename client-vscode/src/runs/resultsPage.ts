import { t } from "@vscode/l10n";
import type { AttemptStatus, CompilerLine, HintView, SubmitSummary, TestLine } from "../generated/protocol.ts";
import { clockTime } from "../text/duration.ts";
import { expectation, type Expectation } from "./expectation.ts";
import type { Standing } from "../text/standing.ts";
import { revealSentence } from "./verdict.ts";
import { word } from "../text/words.ts";

/** A button of the results view: the command's name without its prefix. */
export type ResultsAction = "openProblem" | "nextProblem" | "start" | "resume" | "run" | "cancelRun" | "submit" | "takeHint" | "explainVerdict" | "showHiddenWaveform";

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
  readonly outcome: "passed" | "failed" | "error" | "running" | "stale" | "none";
  /** The server's sign, such as ✓; empty without an attempt. */
  readonly sign: string;
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
      headline: t("No problem is open"),
      message: t("Open a problem from the list to begin."),
      actions: [{ command: "openProblem", label: t("Open Problem…") }],
    };
  }
  const verdict = status.verdict ?? undefined;
  // That of an older run is not shown as if it were of the one that the page is about.
  const shown = verdict?.number === status.view.run ? verdict : undefined;
  return {
    title: status.title,
    outcome: OUTCOMES[status.view.standing] ?? "none",
    sign: status.view.run == null ? "" : status.view.sign,
    headline: word(status.view.headline),
    message: message(status, shown),
    facts: [...verdictFacts(shown), ...qualityFacts(shown), ...attemptFacts(status, summary)],
    compiler: shown?.compiler ?? [],
    failed: (shown?.lines ?? []).filter(({ passed }) => !passed).map(failedTest),
    passed: (shown?.lines ?? []).filter(({ passed }) => passed).map(({ name }) => name),
    hints: hints.map(({ number, text, cost }) => [hintHeading(number, cost), text]),
    log: shown?.log ?? "",
    policy: verdict ? revealSentence(verdict, status.kind) : "",
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
  const first = firstPass(summary);
  return (
    [
      t("“{0}” submitted. {1}", status.title, status.view.headline),
      ...times(status).map(([active, total]) => t("active time {0} of {1}", active, total)),
      status.runs === 1 ? t("1 run") : t("{0} runs", status.runs),
      ...(first ? [t("first pass at {0}", first)] : []),
    ].join(", ") + "."
  );
}

const EMPTY: ResultsPage = {
  title: "",
  outcome: "none",
  sign: "",
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
  return cost ? t("Hint {0}, {1} % of the points", number, Math.round(cost * 1000) / 10) : t("Hint {0}", number);
}

/** How the headline is drawn; what is not here is drawn as any text. */
const OUTCOMES: Readonly<Partial<Record<Standing, ResultsPage["outcome"]>>> = {
  passed: "passed",
  failed: "failed",
  "out of time": "failed",
  undecided: "error",
  "waiting for a judge": "error",
  running: "running",
  queued: "running",
  "files changed": "stale",
};

/** What the verdict says, and what to do next once it is a pass. */
function message(status: AttemptStatus, shown: AttemptStatus["verdict"]): string {
  if (!shown) return "";
  // The list of the compiler's messages, or the headline, says the same.
  const said = shown.compiler?.length || status.view.headline.startsWith(shown.message.replace(/\.$/, "")) ? "" : shown.message;
  if (status.view.standing !== "passed" || status.state !== "running") return said;
  return `${said} ${t("Submit to end the attempt. Until then its clock runs on.")}`.trim();
}

function failedTest({ name, message: said, simTime }: TestLine): FailedTest {
  return { name, message: said ?? "", values: said ? expectation(said) : undefined, simTime: simTime ?? "" };
}

function verdictFacts(verdict: AttemptStatus["verdict"]): [string, string][] {
  if (!verdict) return [];
  return [
    ...(verdict.tests
      ? [[t("Tests passed"), t("{0} of {1}", verdict.tests.passed, verdict.tests.total)] as [string, string]]
      : []),
    ...(verdict.testGroups ?? []).map(({ title, points, passed }): [string, string] => [
      title,
      t("{0} of {1} points", passed ? points : 0, points),
    ]),
    [t("Run"), String(verdict.number)],
    ...(verdict.outcome === "recorded" ? [] : [[t("Run time"), `${verdict.wallS.toFixed(1)} s`] as [string, string]]),
  ];
}

/** The design beside its reference, once the attempt has ended. */
function qualityFacts(verdict: AttemptStatus["verdict"]): [string, string][] {
  return (verdict?.quality ?? []).map(({ measure, solution, reference }) => [
    word(measure),
    solution == null || reference == null ? t("unknown") : t("{0}, the reference {1}", solution, reference),
  ]);
}

function attemptFacts(status: AttemptStatus, summary: SubmitSummary | undefined): [string, string][] {
  if (!summary) return [[t("Attempt"), word(status.state)]];
  return [
    [t("Attempt"), word(status.state)],
    ...times(status).flatMap(([active, total]): [string, string][] => [
      [t("Active time"), active],
      [t("Total time"), total],
    ]),
    [t("Runs"), String(status.runs)],
    [t("First pass"), firstPass(summary) || t("none")],
  ];
}

/** Active and total time, unless the study hides them. */
function times({ activeS, elapsedS }: AttemptStatus): [string, string][] {
  return activeS == null || elapsedS == null ? [] : [[clockTime(activeS), clockTime(elapsedS)]];
}

function firstPass({ firstPassS, firstPassRun }: SubmitSummary): string {
  const run = firstPassRun == null ? "" : t("run {0}", firstPassRun);
  if (firstPassS == null) return run;
  return clockTime(firstPassS) + (run && ` (${run})`);
}

function actions(status: AttemptStatus): ResultsPage["actions"] {
  if (status.running) return [{ command: "cancelRun", label: t("Cancel Run") }];
  switch (status.state) {
    case "open":
      return [{ command: "start", label: t("Start the Clock") }];
    case "paused":
      return [{ command: "resume", label: t("Resume the Clock") }];
    case "running":
      return inOrder(status, [
        ...runAction(status),
        { command: "submit", label: t("Submit") },
      ])
        .concat(isExplained(status) ? [{ command: "explainVerdict", label: t("Explain the Failure") }] : [])
        .concat(hasWaveform(status) ? [{ command: "showHiddenWaveform", label: t("Show Waveform") }] : [])
        .concat(status.aids?.includes("hints") ? [{ command: "takeHint", label: t("Take a Hint…") }] : []);
    default:
      // A study leads on by itself.
      if (status.study) return [];
      return [
        { command: "nextProblem", label: t("Next Problem") },
        { command: "openProblem", label: t("Open Another Problem…") },
      ];
  }
}

/** In a study, an answer is scored when it is saved or submitted, as its form says. */
function runAction({ kind, study }: AttemptStatus): ResultsPage["actions"] {
  if (kind === "design") return [{ command: "run", label: t("Run Hidden Tests") }];
  return study ? [] : [{ command: "run", label: t("Score the Answer") }];
}

/** The reveal policies that show everything of a run. */
const EVERYTHING: readonly string[] = ["full", "reference"];

/** Whether the hidden tests failed where everything of them is shown. */
function hasWaveform({ kind, view, verdict, aids }: AttemptStatus): boolean {
  const hasFailed = kind === "design" && view.standing === "failed";
  return hasFailed && EVERYTHING.includes(verdict?.reveal ?? "") && (aids?.includes("waveforms") ?? false);
}

function isExplained({ kind, verdict, aids }: AttemptStatus): boolean {
  return kind === "design" && verdict?.outcome === "failed" && (aids?.includes("explanations") ?? false);
}

/** The first button is the one to press next: after a pass, to submit. */
function inOrder(status: AttemptStatus, buttons: ResultsPage["actions"]): ResultsPage["actions"] {
  return status.view.standing === "passed" ? [...buttons].reverse() : buttons;
}
