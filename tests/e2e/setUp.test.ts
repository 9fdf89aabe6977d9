import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Editor } from "./editor.ts";
import { ARTIFACTS, ROOT } from "./installation.ts";
import { launch } from "./session.ts";

const MINUTES = 60 * 1000;
const skip = process.env.BENCHWRIGHT_NIGHTLY ? false : "it fetches everything: npm run first-hour does";

test("./run sets up a fresh clone with nothing cached, and its editor shows the first steps", { skip, timeout: 40 * MINUTES }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "benchwright-setup-"));
  const clone = join(folder, "benchwright");
  await promisify(execFile)("git", ["clone", "--quiet", "--depth", "1", `file://${ROOT}`, clone]);
  const run = spawn(join(clone, "run"), ["--no-browser"], {
    cwd: clone,
    env: {
      ...process.env,
      BENCHWRIGHT_CACHE: join(folder, "cache"),
      BENCHWRIGHT_HOME: join(folder, "home"),
      PIP_CACHE_DIR: join(folder, "pip"),
      npm_config_cache: join(folder, "npm"),
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const browser = await launch();
  try {
    const printed = await untilReady(run);
    const address = /Benchwright is ready: (\S+)/.exec(printed)?.[1];
    assert.ok(address, printed);
    const album = join(ARTIFACTS, "set-up");
    await mkdir(album, { recursive: true });
    const page = await browser.newPage({ viewport: { width: 1024, height: 700 } });
    await page.setContent(`<pre style="font-size: 14px; padding: 16px; white-space: pre-wrap"></pre>`);
    await page.locator("pre").evaluate((place, text) => (place.textContent = text), printed);
    await page.screenshot({ path: join(album, "01-terminal.png") });
    await writeFile(join(album, "terminal.txt"), printed);
    await page.goto(address);
    const editor = new Editor(page);
    await editor.untilReady();
    await editor.sees(editor.problem("Saturating up/down counter"), "Saturating");
    await editor.sees(page.locator(".gettingStartedContainer"), "Choose a problem");
    await page.screenshot({ path: join(album, "02-editor.png") });
  } finally {
    await browser.close();
    if (run.exitCode === null && run.pid !== undefined) {
      process.kill(-run.pid, "SIGINT");
      await new Promise((resolve) => run.once("exit", resolve));
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** What a set-up prints, until the editor answers or it ends. */
async function untilReady(run: ReturnType<typeof spawn>): Promise<string> {
  let printed = "";
  return new Promise((resolve) => {
    const heard = (part: Buffer): void => {
      printed += part.toString();
      if (printed.includes("Press Ctrl+C")) resolve(printed);
    };
    run.stdout?.on("data", heard);
    run.stderr?.on("data", heard);
    run.once("exit", () => resolve(printed));
  });
}
