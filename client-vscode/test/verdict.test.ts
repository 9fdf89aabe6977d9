import assert from "node:assert/strict";
import { test } from "node:test";
import { revealSentence, verdictText } from "../src/verdict.ts";
import { verdict } from "./samples.ts";

test("a verdict with test counts shows them", () => {
  assert.deepEqual(verdictText(verdict(), "design"), {
    icon: "check",
    short: "5/5",
    spoken: "Hidden tests passed: 5 of 5",
  });
  const failed = verdict({ outcome: "failed", reason: "tests_failed", tests: { passed: 3, total: 5 } });
  assert.deepEqual(verdictText(failed, "design"), {
    icon: "x",
    short: "3/5",
    spoken: "Hidden tests failed: 3 of 5 passed",
  });
});

test("a design that does not build says so instead of a count", () => {
  const text = verdictText(verdict({ outcome: "failed", reason: "build_failed", tests: null }), "design");
  assert.deepEqual([text.short, text.spoken], ["build failed", "The design does not build"]);
});

test("a design that was refused says so instead of a count", () => {
  const text = verdictText(verdict({ outcome: "failed", reason: "refused", tests: null }), "design");
  assert.equal(text.short, "refused");
});

test("a design that hangs has failed, and says how", () => {
  const text = verdictText(verdict({ outcome: "failed", reason: "timeout", tests: null }), "design");
  assert.deepEqual([text.icon, text.short], ["x", "time limit"]);
});

test("an answer that can't be read has failed, and says so", () => {
  const text = verdictText(verdict({ outcome: "failed", reason: "unreadable", tests: null }), "question");
  assert.deepEqual([text.icon, text.short], ["x", "unreadable"]);
});

test("what is undecided is never shown as a failure and names its reason", () => {
  const shorts = ["machine_busy", "tool_missing", "cancelled"].map((reason) =>
    verdictText(verdict({ outcome: "error", reason, tests: null }), "design"),
  );
  assert.deepEqual(
    shorts.map(({ icon, short }) => [icon, short]),
    [
      ["warning", "machine overloaded"],
      ["warning", "tool missing"],
      ["warning", "cancelled"],
    ],
  );
});

test("a question speaks of the answer, not of tests", () => {
  const outcomes = ["passed", "failed"].map((outcome) => verdictText(verdict({ outcome, tests: null }), "question"));
  assert.deepEqual(
    outcomes.map(({ short }) => short),
    ["correct", "incorrect"],
  );
  assert.match(revealSentence("verdict", "question"), /question/);
  assert.equal(verdictText(verdict({ tests: null }), "text").short, "correct");
});

test("an unknown reveal policy is described as the strictest", () => {
  assert.equal(revealSentence("something-new", "design"), revealSentence("verdict", "design"));
});
