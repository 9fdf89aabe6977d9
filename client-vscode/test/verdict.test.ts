import assert from "node:assert/strict";
import { test } from "node:test";
import { revealSentence, verdictIcon } from "../src/verdict.ts";
import { verdict } from "./samples.ts";

test("what is undecided never has the icon of a failure", () => {
  const icons = [
    verdict(),
    verdict({ outcome: "failed" }),
    verdict({ outcome: "error", short: "tool missing" }),
    verdict({ outcome: "error", short: "waiting for a judge" }),
    verdict({ outcome: "recorded" }),
  ].map(verdictIcon);
  assert.deepEqual(icons, ["check", "x", "warning", "watch", "circle-filled"]);
});

test("an unknown reveal policy is described in the server's words", () => {
  const policySentence = "This problem shows the first failure.";
  assert.equal(revealSentence(verdict({ reveal: "something-new", policySentence }), "design"), policySentence);
  assert.match(revealSentence(verdict({ policySentence }), "design"), /names/);
  assert.match(revealSentence(verdict(), "question"), /question/);
});
