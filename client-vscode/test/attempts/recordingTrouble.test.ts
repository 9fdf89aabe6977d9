import assert from "node:assert/strict";
import { test } from "node:test";
import { troubleOf } from "../../src/attempts/recordingTrouble.ts";

test("The clock gives way to what keeps an attempt from being recorded, for as long as it does", () => {
  assert.equal(troubleOf({ readOnly: null, notRecorded: null }), undefined);
  const full = troubleOf({ notRecorded: "The disk is full." });
  const elsewhere = troubleOf({ readOnly: "It is open in another window.", notRecorded: null });
  assert.ok(elsewhere && full);
  assert.equal(elsewhere.word("1:00"), "Read-only");
  assert.equal(elsewhere.tooltip, "It is open in another window.");
  assert.equal(full.word("1:00"), "Not recorded 1:00");
  assert.match(full.tooltip, /The disk is full\./);
  assert.equal(full.background, "statusBarItem.errorBackground");
});
