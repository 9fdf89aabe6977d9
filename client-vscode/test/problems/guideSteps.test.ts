import assert from "node:assert/strict";
import { test } from "node:test";
import { doneSteps, guidePage, steps, type Seen, type StepId } from "../../src/problems/guideSteps.ts";

const NOTHING: Seen = {
  ...{ isStarted: false, hasError: false, hasVerdict: false, hasFailed: false },
  ...{ showedResults: false, hints: 0, hasPassed: false, isSubmitted: false },
};

function after(...seen: Partial<Seen>[]): string[] {
  let done = new Set<StepId>();
  for (const each of seen) done = doneSteps({ ...NOTHING, ...each }, done);
  return [...done];
}

test("each step follows what is really done", () => {
  assert.deepEqual(after(), []);
  assert.deepEqual(after({ isStarted: true }), ["read"]);
  assert.deepEqual(after({ isStarted: true, hasError: true }), ["read", "error"]);
  assert.deepEqual(after({ isStarted: true, hasError: true }, { isStarted: true }), ["read", "error", "repair"]);
  const failed = { isStarted: true, hasVerdict: true, hasFailed: true };
  assert.deepEqual(after({ isStarted: true, hasError: true }, failed), ["read", "error", "repair", "save"]);
  assert.deepEqual(after({ isStarted: true, hasError: true }, failed, { ...failed, hints: 1 }).at(-1), "hint");
});

test("an error that is not there yet is not repaired", () => {
  assert.ok(!after({ isStarted: true }, { isStarted: true }).includes("repair"));
});

test("who passes or submits has no steps left before that", () => {
  const passed = after({ isStarted: true, hasVerdict: true, hasPassed: true });
  assert.deepEqual(guidePage(new Set(passed as StepId[])).now, steps().length - 1);
  const submitted = after({ isStarted: true, hasPassed: true, isSubmitted: true });
  assert.equal(guidePage(new Set(submitted as StepId[])).now, steps().length);
});
