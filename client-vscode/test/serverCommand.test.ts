import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findServerCommand } from "../src/serverCommand.ts";

function withWritten(...path: string[]): string {
  const home = mkdtempSync(join(tmpdir(), "benchwright-client-"));
  const file = join(home, ...path, "server-command");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "/opt/benchwright\n");
  return home;
}

const WRITTEN = { command: "/opt/benchwright", source: "set-up" };

test("the setting comes first", () => {
  const home = withWritten("data");
  assert.deepEqual(findServerCommand(" /x/b ", { BENCHWRIGHT_HOME: home }), { command: "/x/b", source: "setting" });
});

test("what set-up wrote is found in each place of the data folder", () => {
  const own = withWritten("data");
  assert.deepEqual(findServerCommand("", { BENCHWRIGHT_HOME: own }), WRITTEN);
  const xdg = withWritten("benchwright");
  assert.deepEqual(findServerCommand("", { XDG_DATA_HOME: xdg }), WRITTEN);
  const home = withWritten(".local", "share", "benchwright");
  assert.deepEqual(findServerCommand("", {}, home), WRITTEN);
});

test("else the program on PATH is used", () => {
  const home = mkdtempSync(join(tmpdir(), "benchwright-client-"));
  assert.deepEqual(findServerCommand("", { BENCHWRIGHT_HOME: home }, home), { command: "benchwright", source: "PATH" });
});
