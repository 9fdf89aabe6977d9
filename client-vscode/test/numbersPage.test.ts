import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnNumber } from "../src/generated/protocol.ts";
import { numbersPage } from "../src/numbersPage.ts";

const NUMBER: OwnNumber = {
  attempt: "a1",
  problem: "starter/counter",
  title: "Counter",
  condition: "alone",
  state: "submitted",
  passed: true,
  score: 1,
  activeMin: 12.57,
  firstPassMin: 11.67,
  runs: 3,
  forecastMin: 12,
  forecastRatio: 0.972,
  shareByAssistant: 0.451,
  others: null,
};

const page = (...attempts: OwnNumber[]): string => numbersPage([{ heading: "A study", attempts }]);

test("an attempt is a row of its result and one of its forecast and help, in plain text", () => {
  const text = page({ ...NUMBER, title: "A | B" });
  assert.match(text, /^\| A \\\| B \| passed \| 1\.00 \| 12:34 \| 11:40 \| 3 \|$/m);
  assert.match(text, /^\| A \\\| B \| alone \| 12 min \| 0\.97 \| 45 % \|$/m);
});

test("a result that a study does not show is not guessed", () => {
  const hidden = page({ ...NUMBER, passed: null, score: null, firstPassMin: null, forecastMin: null, forecastRatio: null });
  assert.match(hidden, /\| submitted \| – \| 12:34 \| – \| 3 \|[\s\S]*\| alone \| – \| – \|/);
  assert.match(page({ ...NUMBER, passed: false }), /\| submitted, not passed \|/);
  assert.match(page({ ...NUMBER, state: "running", passed: null }), /\| not ended \|/);
});

test("how others did stands there only where the study gives it", () => {
  assert.doesNotMatch(page(NUMBER), /others/);
  const others = { attempts: 8, solved: 5, quarterMin: 1, halfMin: 2, threeQuartersMin: null };
  assert.match(page({ ...NUMBER, others }), /- Counter: 5 of 8 solved it\. A quarter after 01:00, half after 02:00, by /);
  const nobody = { ...others, solved: 0, quarterMin: null, halfMin: null };
  assert.match(page({ ...NUMBER, others: nobody }), /- Counter: 0 of 8 solved it\.$/m);
});

test("without attempts the page says what to do", () => {
  assert.match(numbersPage([{ heading: "Outside studies", attempts: [] }]), /Open a problem to begin/);
});
