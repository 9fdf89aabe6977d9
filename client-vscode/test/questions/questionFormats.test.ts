import assert from "node:assert/strict";
import { test } from "node:test";
import { PROBLEM_FORMS } from "../../src/questions/authoringText.ts";
import { FORMATS, answeredBy, hasChoices, isSelected } from "../../src/questions/questionFormats.ts";

test("a problem can begin as a question of any format, under its translated name", () => {
  const forms = PROBLEM_FORMS.map(({ form, label }) => [form, label]);
  assert.deepEqual(forms.slice(2), FORMATS);
  assert.deepEqual(FORMATS[0], ["multiple-choice", "Multiple-Choice Question"]);
});

test("a form shows the fields of what answers a format", () => {
  assert.equal(answeredBy("fill-in-the-blank"), "blank");
  assert.equal(answeredBy("cocotb"), undefined);
  assert.deepEqual(FORMATS.map(([format]) => format).filter(isSelected), ["multiple-choice", "multiple-response", "assertion"]);
  assert.deepEqual(FORMATS.map(([format]) => format).filter(hasChoices), ["multiple-choice", "multiple-response"]);
});
