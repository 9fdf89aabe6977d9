import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReplayMark, ReplayView } from "../../src/generated/protocol.ts";
import { changedPart, markText, spokenMark, stopAt, stops, stretches } from "../../src/attempts/replayText.ts";

const mark = (seq: number, atS: number, kind: ReplayMark["kind"], more: Partial<ReplayMark> = {}): ReplayMark => {
  return { seq, atS, kind, path: null, origin: null, length: null, ...more };
};

const VIEW: ReplayView = {
  attempt: "a1",
  problem: "starter/counter",
  durationS: 100,
  paths: ["rtl/counter.sv"],
  marks: [
    mark(1, 0, "opened"),
    mark(2, 1, "environment"),
    mark(3, 5, "edit", { path: "rtl/counter.sv", origin: "paste", length: 42 }),
    mark(4, 5, "edit_reason"),
    mark(5, 40, "run_started"),
    mark(6, 42, "run_finished"),
    mark(7, 70, "tick"),
    mark(8, 100, "submitted"),
  ],
  pauses: [{ fromS: 10, toS: 30, what: "coffee" }],
  runs: [{ fromS: 40, toS: 42, what: "passed", run: 1 }],
  complete: true,
};

test("the scrubber stops at what was done, not at signs of life", () => {
  assert.deepEqual(
    stops(VIEW).map(({ seq }) => seq),
    [1, 3, 5, 6, 8],
  );
});

test("a moment belongs to the last event before it", () => {
  const marks = stops(VIEW);
  assert.deepEqual(
    [0, 4.9, 5, 41, 1000].map((atS) => marks[stopAt(marks, atS)]!.seq),
    [1, 1, 3, 5, 8],
  );
  assert.equal(stopAt([], 3), 0);
});

test("an edit tells its file, its length and where it came from", () => {
  assert.equal(markText(VIEW.marks[2]!), "rtl/counter.sv: 42 characters pasted");
  assert.equal(spokenMark(VIEW.marks[2]!), "5 seconds: rtl/counter.sv: 42 characters pasted");
  assert.equal(markText(mark(9, 0, "edit", { origin: "typed", length: 0 })), "text deleted, typed");
  assert.equal(markText(mark(9, 0, "something_new" as ReplayMark["kind"])), "something new");
});

test("runs and pauses are told in words, in the order of time", () => {
  assert.deepEqual(
    stretches(VIEW).map(({ text }) => text),
    ["Pause (coffee): 00:10 to 00:30", "Run 1, passed: 00:40 to 00:42"],
  );
});

test("the changed part of a text is what lies between equal ends", () => {
  const part = (before: string, now: string): string => now.slice(...changedPart(before, now));
  assert.equal(part("a b c", "a new b c"), "new ");
  assert.equal(part("abc", "abc"), "");
  assert.equal(part("aaa", "aaaa"), "a");
  assert.equal(part("abc", ""), "");
  assert.equal(part("", "abc"), "abc");
});
