import type { AttemptStatus, OwnNumber, ProblemSummary, StandingView, StudyView, VerdictView } from "../src/generated/protocol.ts";

export function problem(changes: Partial<ProblemSummary> = {}): ProblemSummary {
  return {
    ref: "starter/counter",
    id: "counter",
    title: "Counter",
    kind: "design",
    category: "cid003",
    categoryName: "RTL generation",
    difficulty: "easy",
    state: "not begun",
    sign: "",
    run: null,
    bestTimeS: null,
    attempts: 0,
    ...changes,
  };
}

export function verdict(changes: Partial<VerdictView> = {}): VerdictView {
  return {
    outcome: "passed",
    reason: "passed",
    message: "All hidden tests pass.",
    tests: { passed: 5, total: 5 },
    lines: null,
    log: null,
    reveal: "names",
    policySentence: "This problem shows test names only.",
    wallS: 0.84,
    number: 4,
    finishedAt: "2026-01-02T03:04:05Z",
    ...changes,
  };
}

/** The standing of the samples' attempt: its run 4 has passed. */
export function view(changes: Partial<StandingView> = {}): StandingView {
  return {
    standing: "passed",
    sign: "✓",
    short: "5/5 passed",
    headline: "Hidden tests passed: 5 of 5 (run 4)",
    run: 4,
    decidedAt: "2026-01-02T03:04:05Z",
    newestRun: 4,
    ...changes,
  };
}

/** That its run 4 has failed. */
export const FAILED = view({ standing: "failed", sign: "✗", short: "3/5 passed", headline: "Hidden tests failed: 3 of 5 passed (run 4)" });

export function attempt(changes: Partial<AttemptStatus> = {}): AttemptStatus {
  return {
    attempt: "a1",
    problem: "starter/counter",
    title: "Counter",
    kind: "design",
    workspace: "file:///home/x/benchwright/starter/counter",
    state: "running",
    elapsedS: 100,
    activeS: 90,
    runs: 4,
    running: false,
    view: changes.verdict?.outcome === "failed" ? FAILED : view(),
    verdict: null,
    ...changes,
  };
}

export function study(changes: Partial<StudyView> = {}): StudyView {
  return {
    study: "three-tasks",
    title: "Three small tasks",
    description: "",
    participant: "P01",
    step: "work",
    done: 0,
    total: 3,
    position: 1,
    practice: false,
    problem: "starter/counter",
    problemTitle: "Counter",
    problemKind: "design",
    condition: "alone",
    solver: "human",
    assistants: [],
    workspace: "file:///home/x/benchwright/starter/counter",
    consent: { version: "1", text: "Text.", given: true },
    recording: "full",
    dataTo: "nowhere",
    information: [{ kind: "stays", value: "", text: "Your data stays here." }],
    feedback: "full",
    timeLimitS: 1800,
    runsAllowed: 3,
    forecasts: ["minutes"],
    selfEstimates: ["minutes"],
    questions: [],
    ...changes,
  };
}

export function number(changes: Partial<OwnNumber> = {}): OwnNumber {
  return {
    attempt: "a1",
    problem: "starter/counter",
    title: "Counter",
    condition: "alone",
    workedAs: "human",
    view: view(),
    passed: true,
    score: 1,
    activeMin: 12,
    firstPassMin: 10,
    runs: 3,
    forecastMin: 12,
    forecastRatio: 0.972,
    shareByAssistant: 0.451,
    others: null,
    category: "Specification to RTL",
    skill: "",
    started: "2026-03-04T10:00:00",
    spent: { writingMin: 4, waitingMin: 1, readingMin: 7 },
    withAgents: null,
    ...changes,
  };
}
