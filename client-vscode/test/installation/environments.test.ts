import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Environments } from "../../src/installation/environments.ts";
import { WINDOWS } from "../../src/operatingSystem.ts";

function emptyRoot(): string {
  return join(mkdtempSync(join(tmpdir(), "benchwright-environments-")), "server");
}

test("an environment counts from the moment it is complete", async () => {
  const environments = new Environments(emptyRoot());
  assert.equal(environments.command, undefined);
  const folder = await environments.begin("0.1.0");
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "benchwright"), "");
  assert.equal(environments.command, undefined);
  await environments.finish(folder, "0.1.0");
  assert.equal(environments.command, join(folder, "bin", "benchwright"));
  assert.equal(environments.newest?.version, "0.1.0");
});

test("of several environments the newest is used, and the others are removed", async () => {
  const environments = new Environments(emptyRoot());
  const [first, second] = [await environments.begin("0.1.0"), await environments.begin("0.2.0")];
  await environments.finish(first, "0.1.0");
  await environments.finish(second, "0.2.0");
  assert.equal(environments.newest?.folder, second);
  await environments.removeOld();
  assert.deepEqual([existsSync(first), existsSync(second)], [false, true]);
});

test("an interrupted installation is removed, one that another window is busy with is not", async () => {
  const environments = new Environments(emptyRoot());
  const [interrupted, busy] = [await environments.begin("0.1.0"), await environments.begin("0.1.0")];
  writeFileSync(join(interrupted, "installing"), "2147483647");
  await environments.removeOld();
  assert.deepEqual([existsSync(interrupted), existsSync(busy)], [false, true]);
});

test("on Windows the programs are in the folder Scripts", () => {
  const program = WINDOWS.programIn("folder", "benchwright");
  assert.equal(program, join("folder", "Scripts", "benchwright.exe"));
});
