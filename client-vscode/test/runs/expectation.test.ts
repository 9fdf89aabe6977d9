import assert from "node:assert/strict";
import { test } from "node:test";
import { expectation } from "../../src/runs/expectation.ts";

for (const [message, expected, got] of [
  ["count: expected 0x0f, got 0x10", "0x0f", "0x10"],
  ["after reset, expected: 3 but was 4.", "3", "4"],
  ["full is 1, expected 0", "0", "1"],
  ["AssertionError: got 12 instead of 13", "13", "12"],
  ["cycle 7\nassert 3 == 4", "4", "3"],
] as const) {
  test(`both values are read from “${message.replace("\n", " / ")}”`, () => {
    assert.deepEqual(expectation(message), { expected, got });
  });
}

test("a message that does not name both values has none", () => {
  for (const message of ["", "The test timed out.", "expected a reset", "it is wrong", "the state is unknown"]) {
    assert.equal(expectation(message), undefined, message);
  }
});
