import assert from "node:assert/strict";
import { test } from "node:test";
import type { PackSummary, ProblemSummary } from "../../src/generated/protocol.ts";
import { countOf, grouped, nextProblem } from "../../src/problems/problemList.ts";
import { problem } from "../samples.ts";

function pack(name: string, problems: readonly ProblemSummary[]): PackSummary {
  return { name, title: `The ${name} pack`, version: "1", license: "Apache-2.0", problems: [...problems] };
}

const FIFO = problem({ ref: "starter/fifo", title: "Synchronous FIFO", difficulty: "hard", state: "passed" });
const COUNTER = problem();
const CACHE = problem({ ref: "quiz/cache", title: "Cache", kind: "question", categoryName: "Choice", difficulty: "medium" });
const PACKS = [pack("starter", [FIFO, COUNTER]), pack("quiz", [CACHE])];

const labels = (...args: Parameters<typeof grouped>): string[] => grouped(...args).map(({ label }) => label);

test("without a filter every pack is shown, with its problems in the pack's order", () => {
  const packs = grouped([...PACKS, pack("empty", [])], "pack", " ");
  assert.deepEqual(
    packs.map(({ id, problems }) => [id, problems.map(({ ref }) => ref)]),
    [
      ["starter", ["starter/fifo", "starter/counter"]],
      ["quiz", ["quiz/cache"]],
      ["empty", []],
    ],
  );
});

test("a filter keeps the problems that hold all of its words, whatever their case, and no empty pack", () => {
  assert.deepEqual(labels(PACKS, "pack", "FIFO hard"), ["The starter pack"]);
  assert.equal(countOf(grouped(PACKS, "pack", "starter")), 2);
  assert.equal(countOf(grouped(PACKS, "pack", "fifo easy")), 0);
});

test("difficulties and states stand in their order, categories by name", () => {
  const odd = pack("odd", [problem({ ref: "odd/x", difficulty: "" })]);
  assert.deepEqual(labels([...PACKS, odd], "difficulty", ""), ["easy", "medium", "hard", "not stated"]);
  assert.deepEqual(labels(PACKS, "state", ""), ["not begun", "passed"]);
  assert.deepEqual(labels(PACKS, "category", ""), ["Choice", "RTL generation"]);
});

test("a long pack has a heading for each category, a short one has none", () => {
  const many = Array.from({ length: 50 }, (_, index) => ({ ...COUNTER, ref: `big/${index}` }));
  const [big, small] = grouped([pack("big", [...many, CACHE]), pack("small", [FIFO])], "pack", "");
  assert.deepEqual(
    big?.parts.map(({ id, problems }) => [id, problems.length]),
    [
      ["big/category:Choice", 1],
      ["big/category:RTL generation", 50],
    ],
  );
  assert.deepEqual(small?.parts, []);
});

test("the next problem is the first of the same pack that was not passed, from the beginning at its end", () => {
  const third = problem({ ref: "starter/third" });
  const packs = [pack("starter", [COUNTER, FIFO, third]), pack("quiz", [CACHE])];
  assert.equal(nextProblem(packs, COUNTER.ref)?.ref, "starter/third");
  assert.equal(nextProblem(packs, "starter/third")?.ref, COUNTER.ref);
  assert.equal(nextProblem(packs, CACHE.ref), undefined);
  assert.equal(nextProblem(packs, "gone/gone"), undefined);
});
