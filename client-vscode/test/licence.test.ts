import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

test("the extension is packaged with the licence of the project", () => {
  const [own, project] = ["../LICENSE", "../../LICENSE"].map((path) => readFileSync(new URL(path, import.meta.url), "utf8"));
  assert.match(project ?? "", /Apache License/);
  assert.equal(own, project);
});
