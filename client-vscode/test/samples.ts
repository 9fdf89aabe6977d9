import type { AttemptStatus, ProblemSummary, VerdictView } from "../src/generated/protocol.ts";

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
    message: "All hidden tests pass.",
    tests: { passed: 5, total: 5 },
    lines: null,
    log: null,
    reveal: "names",
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
