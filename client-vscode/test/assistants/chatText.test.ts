import assert from "node:assert/strict";
import { test } from "node:test";
import { hintsText, problemText, statusText } from "../../src/assistants/chatText.ts";

test("a status names the runs that are allowed, the time that is left and what the newest run showed", () => {
  const verdict = { number: 2, message: "count is 4, expected 5" };
  const view = { headline: "Hidden tests failed: 3 of 5 passed (run 2)", run: 2 };
  const text = statusText({ state: "running", runs: 2, runs_allowed: 5, active_s: 61, remaining_s: 120, view, verdict });
  assert.match(text, /^- State: running\n- Runs of the hidden tests: 2 of 5\n/);
  assert.match(text, /Time at work: 1 minute 1 second\n- Time left: 2 minutes/);
  assert.match(text, /Newest run: Hidden tests failed: 3 of 5 passed \(run 2\)\n\ncount is 4, expected 5$/);
  const queued = { headline: "Run 3 is queued; run 2: 3/5 passed", run: 3 };
  assert.match(statusText({ state: "running", runs: 2, view: queued, verdict }), /Newest run: Run 3 is queued; run 2: 3\/5 passed$/);
});

test("a problem ends with its status in words", () => {
  const told = '# FIFO\n\nStatus: full or empty.\n\nFiles that are tested: a.sv.\n\nStatus: {"state": "running", "runs": 0}';
  assert.match(problemText(told), /^# FIFO\n\nStatus: full or empty.\n\nFiles that are tested: a.sv.\n\n- State: running\n/);
});

test("a status says nothing of what a study hides", () => {
  assert.equal(statusText({ state: "running", runs: 0 }), "- State: running\n- Runs of the hidden tests: 0");
});

test("hints show what was taken, and what the next one costs or waits for, or that there is none", () => {
  const taken = [{ number: 1, text: "Look at the reset." }];
  const next = { number: 2, costs: "10 % of the points", waits_for: null };
  const first = "**Hint 1 of 2.** Look at the reset.\n\n";
  assert.equal(hintsText({ hints: 2, taken, next }), `${first}Hint 2 of 2 costs 10 % of the points.`);
  const waits = { ...next, waits_for: "1 run (0 so far)" };
  assert.equal(hintsText({ hints: 2, taken, next: waits }), `${first}Hint 2 can be taken after 1 run (0 so far).`);
  assert.equal(hintsText({ hints: 2, taken, next: null }), `${first}There are no more hints.`);
});
