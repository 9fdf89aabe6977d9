import assert from "node:assert/strict";
import { test } from "node:test";
import { inOneLine, resultsPage, summarySentence } from "../../src/runs/resultsPage.ts";
import { attempt, FAILED, verdict, view } from "../samples.ts";

test("the page shows exactly what the verdict reveals", () => {
  const lines = [{ name: "test_reset", passed: true, message: null }];
  const page = resultsPage(attempt({ verdict: verdict({ lines }) }));
  assert.deepEqual([page.failed, page.passed], [[], ["test_reset"]]);
  assert.equal(page.log, "");
  assert.equal(page.policy, "This problem shows test names only.");
  assert.deepEqual(page.facts.slice(0, 3), [
    ["Tests passed", "5 of 5"],
    ["Run", "4"],
    ["Run time", "0.8 s"],
  ]);
});

test("groups of tests are shown with the points that they bring", () => {
  const testGroups = [
    { title: "Shifts", points: 2, passed: true },
    { title: "Flags", points: 3, passed: false },
  ];
  assert.deepEqual(resultsPage(attempt({ verdict: verdict({ testGroups }) })).facts.slice(1, 3), [
    ["Shifts", "2 of 2 points"],
    ["Flags", "0 of 3 points"],
  ]);
});

test("while the tests run, the old verdict is not shown as if it were new", () => {
  const queued = view({ standing: "queued", sign: "…", short: "run 5 queued", headline: "Run 5 is queued; run 4: 5/5 passed", run: 5, newestRun: 5 });
  const page = resultsPage(attempt({ running: true, view: queued, verdict: verdict({ log: "old" }) }));
  assert.deepEqual([page.outcome, page.message, page.passed, page.log], ["running", "", [], ""]);
  assert.equal(page.headline, "Run 5 is queued; run 4: 5/5 passed");
  assert.deepEqual(
    page.actions.map(({ command }) => command),
    ["cancelRun"],
  );
});

test("hints are offered only where they are allowed, and those that were taken are shown with their cost", () => {
  const allowed = attempt({ state: "running", aids: ["hints"] });
  const taken = [
    { number: 1, text: "Look.", cost: 0 },
    { number: 2, text: "Look twice.", cost: 0.125 },
  ];
  assert.deepEqual(resultsPage(allowed, undefined, taken).hints, [
    ["Hint 1", "Look."],
    ["Hint 2, 12.5 % of the points", "Look twice."],
  ]);
  const offers = (aids: string[]): boolean =>
    resultsPage(attempt({ state: "running", aids })).actions.some(({ command }) => command === "takeHint");
  assert.deepEqual([offers(["hints"]), offers(["explanations"])], [true, false]);
});

test("a failure of the hidden tests is explained only where that is allowed", () => {
  const offers = (outcome: string, aids: string[]): boolean => {
    const status = attempt({ state: "running", aids, verdict: verdict({ outcome }) });
    return resultsPage(status).actions.some(({ command }) => command === "explainVerdict");
  };
  assert.deepEqual(
    [offers("failed", ["explanations"]), offers("failed", ["hints"]), offers("passed", ["explanations"])],
    [true, false, false],
  );
});

test("a waveform of the hidden tests is offered only of a failure of which everything is shown", () => {
  const offers = (outcome: string, reveal: string, aids: string[]): boolean => {
    const status = attempt({ state: "running", aids, view: outcome === "failed" ? FAILED : view(), verdict: verdict({ outcome, reveal }) });
    return resultsPage(status).actions.some(({ command }) => command === "showHiddenWaveform");
  };
  assert.deepEqual(
    [
      offers("failed", "full", ["waveforms"]),
      offers("failed", "reference", ["waveforms"]),
      offers("failed", "messages", ["waveforms"]),
      offers("failed", "full", ["explanations"]),
      offers("passed", "full", ["waveforms"]),
    ],
    [true, true, false, false, false],
  );
});

const NEXT = ["nextProblem", "openProblem"];

test("each state offers its next step", () => {
  const steps = (["open", "running", "paused", "submitted", "abandoned"] as const).map((state) =>
    resultsPage(attempt({ state, view: view({ standing: "open", sign: "…", run: null, newestRun: null }) })).actions.map(({ command }) => command),
  );
  assert.deepEqual(steps, [["start"], ["run", "submit"], ["resume"], NEXT, NEXT]);
  assert.deepEqual(
    resultsPage(undefined).actions.map(({ command }) => command),
    ["openProblem"],
  );
});

test("the summary of a submission names time, runs, first pass and verdict", () => {
  const status = attempt({ state: "submitted", verdict: verdict() });
  const summary = { status, firstPassS: 61, firstPassRun: 3 };
  assert.equal(
    summarySentence(summary),
    "“Counter” submitted. Hidden tests passed: 5 of 5 (run 4), active time 01:30 of 01:40, 4 runs, first pass at 01:01 (run 3).",
  );
  assert.deepEqual(resultsPage(status, summary).facts.slice(3), [
    ["Attempt", "submitted"],
    ["Active time", "01:30"],
    ["Total time", "01:40"],
    ["Runs", "4"],
    ["First pass", "01:01 (run 3)"],
  ]);
});

test("a design that was submitted and passed is shown beside the reference", () => {
  const quality = [
    { measure: "gates", solution: 12, reference: 9 },
    { measure: "findings", solution: null, reference: 0 },
  ];
  const status = attempt({ state: "submitted", verdict: verdict({ quality }) });
  assert.deepEqual(resultsPage(status).facts.slice(3, 5), [
    ["Gates", "12, the reference 9"],
    ["Lint findings", "unknown"],
  ]);
});

test("while a study hides the clock, neither summary nor facts have a time", () => {
  const status = attempt({ state: "submitted", verdict: verdict({ wallS: 0.5 }), activeS: null, elapsedS: null });
  const summary = { status, firstPassS: null, firstPassRun: 3 };
  assert.equal(
    summarySentence(summary),
    "“Counter” submitted. Hidden tests passed: 5 of 5 (run 4), 4 runs, first pass at run 3.",
  );
  assert.deepEqual(resultsPage(status, summary).facts.slice(3), [
    ["Attempt", "submitted"],
    ["Runs", "4"],
    ["First pass", "run 3"],
  ]);
});

test("a submission that never passed says so", () => {
  const status = attempt({ state: "submitted" });
  const summary = { status, firstPassS: null, firstPassRun: null };
  assert.doesNotMatch(summarySentence(summary), /first pass/);
  assert.deepEqual(resultsPage(status, summary).facts.at(-1), ["First pass", "none"]);
});

test("a result whose files have changed since is drawn as stale, and has no waveform", () => {
  const stale = view({ standing: "files changed", sign: "…", headline: "Hidden tests failed: 3 of 5 passed (run 4); the files have changed since" });
  const page = resultsPage(attempt({ view: stale, aids: ["waveforms"], verdict: verdict({ outcome: "failed", reveal: "full" }) }));
  assert.deepEqual([page.outcome, page.headline], ["stale", stale.headline]);
  assert.deepEqual(page.actions.map(({ command }) => command), ["run", "submit"]);
});

test("failures come with what was expected and when they failed, and what passed is only named", () => {
  const lines = [
    { name: "test_reset", passed: true, message: null },
    { name: "test_load", passed: false, message: "count: expected 3, got 4", simTime: "1,230 ns" },
    { name: "test_up", passed: false, message: null },
  ];
  const page = resultsPage(attempt({ verdict: verdict({ outcome: "failed", lines }) }));
  assert.deepEqual(page.failed, [
    {
      name: "test_load",
      message: "count: expected 3, got 4",
      values: { expected: "3", got: "4" },
      simTime: "1,230 ns",
    },
    { name: "test_up", message: "", values: undefined, simTime: "" },
  ]);
  assert.deepEqual(page.passed, ["test_reset"]);
});

test("a build failure is told by the compiler, once", () => {
  const compiler = [{ path: "rtl/a.sv", line: 6, column: null, text: "syntax error" }];
  const page = resultsPage(attempt({ verdict: verdict({ outcome: "failed", compiler }) }));
  assert.deepEqual([page.compiler, page.message], [compiler, ""]);
});

test("after a pass the first step is to submit, and then to go on, except in a study", () => {
  const passed = attempt({ verdict: verdict() });
  assert.match(resultsPage(passed).message, /^All hidden tests pass\. Submit/);
  assert.deepEqual(
    resultsPage(passed).actions.map(({ command }) => command),
    ["submit", "run"],
  );
  assert.deepEqual(resultsPage({ ...passed, state: "submitted", study: "s" }).actions, []);
});

test("what the headline says already is not said twice", () => {
  const told = verdict({ outcome: "failed", message: "The answer is incorrect." });
  const shown = view({ standing: "failed", headline: "The answer is incorrect (try 4)" });
  assert.equal(resultsPage(attempt({ view: shown, verdict: told })).message, "");
});

test("in one line a pass keeps its headline before the next step", () => {
  const told = verdict({ outcome: "passed", message: "The answer is correct." });
  const shown = view({ headline: "The answer is correct (try 4)" });
  assert.equal(
    inOneLine(resultsPage(attempt({ view: shown, verdict: told, state: "running" }))),
    "The answer is correct (try 4). Submit to end the attempt. Until then its clock runs on.",
  );
});
