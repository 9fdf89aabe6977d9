import assert from "node:assert/strict";
import { test } from "node:test";
import { revealSentence } from "../../src/runs/verdict.ts";
import { verdict } from "../samples.ts";

test("an unknown reveal policy is described in the server's words", () => {
  const policySentence = "This problem shows the first failure.";
  assert.equal(revealSentence(verdict({ reveal: "something-new", policySentence }), "design"), policySentence);
  assert.match(revealSentence(verdict({ policySentence }), "design"), /names/);
  assert.match(revealSentence(verdict(), "question"), /question/);
});
