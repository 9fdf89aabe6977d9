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

test("an unknown reveal policy is described as the strictest", () => {
  assert.equal(revealSentence("something-new", "design"), revealSentence("verdict", "design"));
  assert.match(revealSentence("verdict", "question"), /question/);
});
