import assert from "node:assert/strict";
import { test } from "node:test";
import { clockTime, spokenTime } from "../../src/text/duration.ts";

test("a clock shows minutes and seconds, and hours only from one hour on", () => {
  const shown = [0, 9.99, 192, 3599, 3600, 36_061].map(clockTime);
  assert.deepEqual(shown, ["00:00", "00:09", "03:12", "59:59", "1:00:00", "10:01:01"]);
});

test("a clock never shows a time below zero", () => {
  assert.equal(clockTime(-3), "00:00");
});

test("a screen reader hears words, without what is zero", () => {
  const spoken = [0, 1, 192, 3600, 7322].map(spokenTime);
  assert.deepEqual(spoken, ["0 seconds", "1 second", "3 minutes 12 seconds", "1 hour", "2 hours 2 minutes 2 seconds"]);
});
