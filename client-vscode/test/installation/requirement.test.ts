import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DISTRIBUTION } from "../../src/generated/protocol.ts";
import { requirement } from "../../src/installation/requirement.ts";

const folder = mkdtempSync(join(tmpdir(), "benchwright-requirement-"));
const wheel = join(folder, "benchwright-0.1.0-py3-none-any.whl");
writeFileSync(wheel, "");
const checkout = mkdtempSync(join(tmpdir(), "benchwright-requirement-"));
writeFileSync(join(checkout, "pyproject.toml"), "");

for (const [source, wanted, what] of [
  ["", [`${DISTRIBUTION}==0.1.0`], "nothing: the extension's version from the index"],
  [wheel, ["--", wheel], "a wheel"],
  [folder, ["--find-links", folder, `${DISTRIBUTION}==0.1.0`], "a folder of wheels"],
  [checkout, ["--", checkout], "a checkout"],
  [" benchwright[all]>=0.1 ", ["--", "benchwright[all]>=0.1"], "a requirement"],
  ["--index-url=http://x", ["--", "--index-url=http://x"], "never an option"],
] as const) {
  test(`the source can be ${what}`, () => assert.deepEqual(requirement("0.1.0", source), wanted));
}
