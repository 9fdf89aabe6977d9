import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Environments } from "../../src/installation/environments.ts";
import { install, type InstallationRequest } from "../../src/installation/installer.ts";

/** Stands for uv: makes a program that prints a version; `fail` and `hang` say what else it does. */
const UV = `#!/bin/sh
[ -n "$PYTHONPATH" ] && exit 1
case "$1 $2" in
  --version*) echo "uv 1.0" ;;
  venv*) eval folder=\\$$#; mkdir -p "$folder/bin" ;;
  "pip install")
    echo "Downloading benchwright-0.1.0.whl"
    [ -e "$TOOLS/fail" ] && { echo "No solution found when resolving dependencies"; exit 1; }
    [ -e "$TOOLS/hang" ] && { sleep 600 & echo $! >"$TOOLS/hang"; wait; }
    program="\${4%/python}/benchwright"
    printf '#!/bin/sh\\necho 0.1.0\\n' >"$program"; chmod +x "$program" ;;
esac
`;

interface Bench {
  readonly tools: string;
  readonly root: string;
  readonly reported: string[];
  readonly controller: AbortController;
  readonly request: InstallationRequest;
}

function bench(): Bench {
  const tools = mkdtempSync(join(tmpdir(), "benchwright-installer-"));
  const root = join(tools, "storage");
  writeFileSync(join(tools, "uv"), UV, { mode: 0o755 });
  const controller = new AbortController();
  const reported: string[] = [];
  const request: InstallationRequest = {
    environments: new Environments(root),
    version: "0.1.0",
    source: "",
    interpreter: undefined,
    env: { ...process.env, TOOLS: tools, PATH: `${tools}:${process.env.PATH ?? ""}`, PYTHONPATH: "/misleading" },
    signal: controller.signal,
    report: (step) => reported.push(step),
    log: () => undefined,
  };
  return { tools, root, reported, controller, request };
}

const skip = process.platform === "win32";

test("an installation reports each step and leaves a complete environment", { skip }, async () => {
  const { request, reported } = bench();
  assert.equal(await install(request), "0.1.0");
  assert.deepEqual(reported, [
    "Looking for uv or Python…",
    "Creating an environment with uv…",
    "Installing packages…",
    "Downloading benchwright-0.1.0.whl…",
    "Checking the installation…",
  ]);
  const command = request.environments.command ?? assert.fail("There is no program.");
  assert.equal(execFileSync(command, { encoding: "utf8" }).trim(), "0.1.0");
});

test("a failure names the next step and leaves what was installed before", { skip }, async () => {
  const { request, tools, root } = bench();
  await install(request);
  const before = request.environments.command;
  writeFileSync(join(tools, "fail"), "");
  await assert.rejects(install(request), { message: /does not offer benchwright==0\.1\.0/ });
  assert.equal(request.environments.command, before);
  assert.equal(readdirSync(root).length, 1);
});

test("cancelling ends every process of the installation and leaves nothing", { skip }, async () => {
  const { request, tools, root, controller } = bench();
  writeFileSync(join(tools, "hang"), "");
  const installing = install(request);
  const pid = await untilWritten(join(tools, "hang"));
  controller.abort();
  await assert.rejects(installing, { name: "AbortError" });
  assert.deepEqual(readdirSync(root), []);
  // A process that ended stays visible until its new parent has looked.
  for (let tries = 0; isRunning(pid); tries += 1) {
    assert.ok(tries < 100, "The process still runs.");
    await sleep(50);
  }
});

test("without uv, a Python that is too old or cannot create environments is not used", { skip }, async () => {
  const { request, tools } = bench();
  const bin = join(tools, "bin");
  mkdirSync(bin);
  const python = (name: string, printed: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${printed}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  const only = { ...request, env: { PATH: bin } };
  python("python3", "3 9 1 /usr/bin/python3.9");
  await assert.rejects(install(only), { message: /Python 3\.11 or newer was not found/ });
  python("python3", "3 11 0 /usr/bin/python3.11");
  await assert.rejects(install(only), { message: /\/usr\/bin\/python3\.11.*python3\.11-venv/ });
});

async function untilWritten(path: string): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    const text = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
    if (text !== "") return Number(text);
    await sleep(50);
  }
  return assert.fail(`Nothing was written to ${path}.`);
}

function isRunning(pid: number): boolean {
  try {
    // A zombie is not running any more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
