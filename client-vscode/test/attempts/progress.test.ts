import assert from "node:assert/strict";
import { test } from "node:test";
import { othersText, resultText } from "../../src/text/numberText.ts";
import { monday, progress } from "../../src/attempts/progress.ts";
import { FAILED, number, view } from "../samples.ts";

const NUMBER = number();

test("attempts are added up by pack, category and skill; what no pack names is left out", () => {
  const { all, packs, categories, skills } = progress([
    NUMBER,
    { ...NUMBER, problem: "quarch/7", category: "", skill: "recall", passed: false, firstPassMin: null, activeMin: 3 },
  ]);
  assert.deepEqual([all.attempts, all.passed, all.activeMin, all.firstPassMin], [2, 1, 15, 10]);
  assert.deepEqual(all.spent, { writing: 8, waiting: 2, reading: 14 });
  assert.deepEqual(packs.map(({ name, passed }) => [name, passed]), [["quarch", 0], ["starter", 1]]);
  assert.deepEqual(categories.map(({ name }) => name), ["Specification to RTL"]);
  assert.deepEqual(skills.map(({ name }) => name), ["recall"]);
});

test("weeks begin on Monday, and those without attempts are not left out", () => {
  assert.equal(monday(new Date(2026, 2, 1)), "2026-02-23");
  assert.equal(monday(new Date(2026, 2, 2)), "2026-03-02");
  const { weeks } = progress([NUMBER, { ...NUMBER, started: "2026-03-22T23:59:00" }, { ...NUMBER, started: "" }]);
  assert.deepEqual(weeks.map(({ name, attempts }) => [name, attempts]), [["2026-03-02", 1], ["2026-03-09", 0], ["2026-03-16", 1]]);
});

test("a result that a study does not show is not guessed", () => {
  const hidden = { ...NUMBER, passed: null, firstPassMin: null };
  assert.deepEqual([progress([hidden]).all.passed, progress([hidden]).all.firstPassMin], [null, null]);
  const recorded = view({ standing: "recorded", sign: "•", short: "recorded" });
  assert.equal(resultText({ ...hidden, view: recorded }), "• recorded, run 4");
  assert.equal(resultText({ ...NUMBER, view: FAILED, passed: false }), "✗ failed, run 4");
});

test("how others did says who did not get there", () => {
  const others = { attempts: 8, solved: 5, quarterMin: 1, halfMin: 2, threeQuartersMin: null };
  assert.match(othersText(others), /^5 of 8 solved it\. By an estimate that includes those who gave up: a quarter after 01:00, half after 02:00\.$/);
  assert.equal(othersText({ ...others, quarterMin: null, halfMin: null }), "5 of 8 solved it.");
});
