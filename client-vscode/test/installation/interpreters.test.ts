import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, isRecentEnough, parseProbe } from "../../src/installation/interpreters.ts";
import { POSIX, WINDOWS } from "../../src/operatingSystem.ts";

test("the Python that is chosen in the editor is tried first, then the newest on PATH", () => {
  assert.deepEqual(
    candidates("/venv/bin/python", POSIX).map(({ command }) => command),
    ["/venv/bin/python", "python3.13", "python3.12", "python3.11", "python3", "python"],
  );
});

test("on Windows the launcher is asked for each version", () => {
  assert.deepEqual(
    candidates(undefined, WINDOWS).map(({ command, args }) => [command, ...args].join(" ")),
    ["py -3.13", "py -3.12", "py -3.11", "py -3", "python"],
  );
});

test("a probe tells version, path and whether environments can be created", () => {
  const candidate = { command: "python3", args: [] };
  const found = parseProbe(candidate, "warning: something\n3 11 0 /usr/bin/my python3\n");
  assert.deepEqual(found, { ...candidate, path: "/usr/bin/my python3", version: [3, 11], hasVenv: false });
  assert.equal(parseProbe(candidate, "Python was not found; run without arguments to install from the Store"), undefined);
});

test("Python 3.11 is recent enough, 3.10 and 2.7 are not", () => {
  assert.deepEqual(
    [[3, 14] as const, [3, 11] as const, [3, 10] as const, [2, 7] as const].map((version) => isRecentEnough({ version })),
    [true, true, false, false],
  );
});
