import assert from "node:assert/strict";
import { test } from "node:test";
import { difficultyBadge, problemDescription, problemIcon, problemSpoken, problemTooltip, rowDescription } from "../../src/problems/problemLabel.ts";
import { STANDINGS } from "../../src/text/standing.ts";
import { problem } from "../samples.ts";

test("a solved problem shows its best time", () => {
  const solved = problem({ state: "passed", bestTimeS: 723 });
  assert.equal(problemDescription(solved), "passed 12:03 · easy · design · RTL generation");
  assert.equal(problemSpoken(solved), "Counter, passed 12 minutes 3 seconds, easy, design, RTL generation");
});

test("a pass in which an agent had a part says so", () => {
  const solved = problem({ state: "passed", passedWithAgent: true });
  assert.equal(problemDescription(solved), "passed, with an agent · easy · design · RTL generation");
  assert.match(problemTooltip(solved), /^State: passed, with an agent$/m);
});

test("a row of the side bar has only the best time and the difficulty beside the title", () => {
  assert.equal(rowDescription(problem({ state: "passed", bestTimeS: 723 })), "12:03");
  assert.equal(rowDescription(problem()), "");
  assert.equal(difficultyBadge("easy"), "E");
  assert.equal(rowDescription(problem(), "difficulty"), "design");
});

test("a problem passed without a submission shows no time", () => {
  assert.equal(problemDescription(problem({ state: "passed" })), "passed · easy · design · RTL generation");
});

test("the tooltip leaves out a best time that is not there", () => {
  assert.doesNotMatch(problemTooltip(problem()), /Best time/);
  assert.match(problemTooltip(problem({ bestTimeS: 61 })), /^Best time: 01:01$/m);
});

test("each state has a shape of its own, and the tooltip names the run", () => {
  assert.equal(new Set(STANDINGS.map(problemIcon)).size, STANDINGS.length);
  assert.match(problemTooltip(problem({ state: "failed", sign: "✗", run: 3 })), /^State: ✗ failed, run 3$/m);
});
