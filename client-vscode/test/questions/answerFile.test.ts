import assert from "node:assert/strict";
import { test } from "node:test";
import { answerLength, answerShown, answerText, chosenValue, fillingShown, fillingText, listedValues, whatSavingDoes } from "../../src/questions/answerFile.ts";

const LETTERS = ["A", "B"].map((value) => ({ value, text: `Choice ${value}` }));
const TRUTH = ["true", "false"].map((value) => ({ value, text: value }));

test("a choice is read whatever its case and the space around it", () => {
  assert.deepEqual(
    ["B", " b \n", "A\r\n"].map((text) => chosenValue(text, LETTERS)),
    ["B", "B", "A"],
  );
  assert.equal(chosenValue("True\n", TRUTH), "true");
});

test("a text that is no choice chooses nothing", () => {
  assert.deepEqual(
    ["", "AB", "C", "A or B"].map((text) => chosenValue(text, LETTERS)),
    Array(4).fill(undefined),
  );
});

test("a list of letters is read as all of its choices", () => {
  assert.deepEqual(
    ["AB\n", "B,A", " A, B ", "a,b", "b"].map((text) => listedValues(text, LETTERS)),
    [["A", "B"], ["B", "A"], ["A", "B"], ["A", "B"], ["B"]],
  );
  assert.deepEqual(listedValues("", LETTERS), []);
});

test("a text that is no list of letters of choices leaves the reading to the server", () => {
  assert.deepEqual(
    ["AC", "AA", "A and B", "ANSWER: AB", "A,,B"].map((text) => listedValues(text, LETTERS)),
    Array(5).fill(undefined),
  );
});

test("a number and its unit are two fields of one answer, and words are one", () => {
  for (const [answer, words, unit] of [
    ["2.5 ns", "2.5", "ns"],
    ["1 024 octets", "1 024", "octets"],
    ["-3e-9 s", "-3e-9", "s"],
    ["the TLB", "the TLB", ""],
    ["24", "24", ""],
    ["4-way", "4-way", ""],
    ["", "", ""],
  ] as const) {
    assert.deepEqual(fillingShown(answer), { words, unit });
    assert.equal(fillingText({ words, unit }), answer);
  }
  assert.equal(fillingText({ words: "2.5 ns", unit: " " }), "2.5 ns");
});

test("what the form writes, it shows again", () => {
  for (const typed of ["", "B", "two\nlines", "ends with breaks\n\n"]) {
    assert.equal(answerShown(answerText(typed)), typed.replace(/\n$/, ""));
  }
});

test("a text of another editor with Windows line breaks is shown without them", () => {
  assert.equal(answerShown("a\r\nb\r\n"), "a\nb");
});

test("an answer's length is counted in words", () => {
  assert.deepEqual([0, 1, 2].map((words) => answerLength({ words })), ["0 words", "1 word", "2 words"]);
});

test("saving is described as what it does in each state", () => {
  assert.match(whatSavingDoes({ state: "open" }, true), /Nothing is scored until the clock starts/);
  assert.match(whatSavingDoes({ state: "paused" }, false), /until the clock is resumed/);
  assert.match(whatSavingDoes({ state: "running" }, true), /has your answer scored at once/);
  assert.match(whatSavingDoes({ state: "running" }, false), /scored when you submit it, or before by “Score the Answer”/);
  assert.match(whatSavingDoes({ state: "running", study: "first" }, false), /scored when you submit it\.$/);
  assert.match(whatSavingDoes({ state: "submitted" }, true), /changes nothing/);
});
