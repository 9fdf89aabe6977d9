import type { AttemptStatus, ProblemSummary, StudyView, VerdictView } from "../src/generated/protocol.ts";

export function problem(changes: Partial<ProblemSummary> = {}): ProblemSummary {
  return {
    ref: "starter/counter",
    id: "counter",
    title: "Counter",
    kind: "design",
    category: "cid003",
    categoryName: "RTL generation",
    difficulty: "easy",
    state: "new",
    bestTimeS: null,
    attempts: 0,
    ...changes,
  };
}

export function verdict(changes: Partial<VerdictView> = {}): VerdictView {
  return {
    outcome: "passed",
    reason: "passed",
    short: "5/5 passed",
    headline: "Hidden tests passed: 5 of 5",
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
    condition: "alone",
    solver: "human",
    assistants: [],
    workspace: "file:///home/x/benchwright/starter/counter",
    consent: { version: "1", text: "Text.", given: true },
    recording: "full",
    dataTo: "nowhere",
    feedback: "full",
    timeLimitS: 1800,
    runsAllowed: 3,
    forecasts: ["minutes"],
    selfEstimates: ["minutes"],
    questions: [],
    ...changes,
  };
}
