import assert from "node:assert/strict";
import { test } from "node:test";
import { caseOf, toggleSummary } from "../../src/runs/ownTestText.ts";

test("a case is called by its parameters", () => {
  assert.equal(caseOf("fills/depth=4/width=8"), "depth=4, width=8");
  assert.equal(caseOf("fills"), "fills");
});

test("a line says which of its bits never moved", () => {
  const toggle = (name: string, count: number) => ({ name, line: 0, count });
  assert.deepEqual(toggleSummary([toggle("q:0->1", 3), toggle("q:1->0", 2)]), { name: "All 2 toggles happened", moved: 2 });
  assert.deepEqual(toggleSummary([toggle("q:0->1", 0), toggle("q:1->0", 2)]), { name: "Never toggled: q:0->1", moved: 0 });
  const many = Array.from({ length: 7 }, (_, bit) => toggle(`q[${bit}]:0->1`, 0));
  assert.match(toggleSummary(many).name, / and 2 more$/);
});
