import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { POSIX, WINDOWS } from "../../src/operatingSystem.ts";
import { chooseServerCommand, findServerCommands, type Search, type ServerCommand } from "../../src/server/serverCommand.ts";

const home = mkdtempSync(join(tmpdir(), "benchwright-client-"));
const managed = program("managed", "benchwright");
const onPath = program("bin", "benchwright");
const written = program("checkout", "benchwright");

function program(...path: string[]): string {
  const file = join(home, ...path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
  return file;
}

/** A home whose data folder, at this path, names a program. */
function withWritten(path: readonly string[], command = written): string {
  const root = mkdtempSync(join(tmpdir(), "benchwright-client-"));
  const file = join(root, ...path, "server-command");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${command}\n`);
  return root;
}

function found(search: Partial<Search>): ServerCommand[] {
  return findServerCommands({ setting: "", env: {}, managed: undefined, home, system: POSIX, ...search });
}

test("a program that is chosen in the settings is the only one", () => {
  const env = { BENCHWRIGHT_HOME: withWritten(["data"]), PATH: dirname(onPath) };
  assert.deepEqual(found({ setting: " /x/b ", env, managed }), [{ command: "/x/b", source: "setting" }]);
});

test("what set-up wrote is found in each location of the data folder", () => {
  const expected = [{ command: written, source: "set-up" }];
  assert.deepEqual(found({ env: { BENCHWRIGHT_HOME: withWritten(["data"]) } }), expected);
  assert.deepEqual(found({ env: { XDG_DATA_HOME: withWritten(["benchwright"]) } }), expected);
  assert.deepEqual(found({ home: withWritten([".local", "share", "benchwright"]) }), expected);
});

test("set-up comes before PATH, and PATH before the extension's own environment", () => {
  const env = { BENCHWRIGHT_HOME: withWritten(["data"]), PATH: `/nowhere:${dirname(onPath)}` };
  assert.deepEqual(
    found({ env, managed }).map(({ source }) => source),
    ["set-up", "PATH", "extension"],
  );
});

test("a checkout that was deleted, a folder and a file that is no program are passed over", () => {
  const path = mkdtempSync(join(tmpdir(), "benchwright-client-"));
  mkdirSync(join(path, "benchwright"));
  const plain = mkdtempSync(join(tmpdir(), "benchwright-client-"));
  writeFileSync(join(plain, "benchwright"), "");
  const env = { BENCHWRIGHT_HOME: withWritten(["data"], "/gone/benchwright"), PATH: `${path}:${plain}` };
  assert.deepEqual(found({ env }), []);
});

test("a Windows program is found by its ending", () => {
  const file = program("windows", "benchwright.exe");
  assert.deepEqual(found({ env: { Path: dirname(file) }, system: WINDOWS }), [{ command: file, source: "PATH" }]);
});

const choices: ServerCommand[] = [
  { command: "/usr/bin/benchwright", source: "PATH" },
  { command: "/storage/benchwright", source: "extension" },
];

test("without a choice no version is asked for", async () => {
  const never = (): Promise<boolean> => assert.fail("asked");
  assert.equal(await chooseServerCommand([], never), undefined);
  for (const choice of choices) assert.equal(await chooseServerCommand([choice], never), choice);
});

test("the environment that the extension has made is used instead of a program of another version", async () => {
  const matching = (...commands: string[]) => (command: string) => Promise.resolve(commands.includes(command));
  assert.equal(await chooseServerCommand(choices, matching("/usr/bin/benchwright", "/storage/benchwright")), choices[0]);
  assert.equal(await chooseServerCommand(choices, matching("/storage/benchwright")), choices[1]);
  assert.equal(await chooseServerCommand(choices, matching()), choices[0]);
});
