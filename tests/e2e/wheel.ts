import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./installation.ts";

const PYTHON = join(ROOT, ".venv", "bin", "python");

/** Path of the wheel that `buildWheel` makes in a folder. */
export function wheelIn(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, "client-vscode", "package.json"), "utf8")) as { version: string };
  return join(folder, `benchwright-${version}-py3-none-any.whl`);
}

/** Builds Benchwright's wheel from the checkout. */
export async function buildWheel(folder: string): Promise<void> {
  await promisify(execFile)(PYTHON, ["-m", "hatchling", "build", "-t", "wheel", "-d", folder], { cwd: ROOT });
}

/**
 * The variables of somebody who has Python, pip's settings of this machine, and nothing else.
 *
 * @param home An empty folder.
 */
export async function bareEnvironment(home: string): Promise<Record<string, string>> {
  const python = dirname(realpathSync(PYTHON));
  const { stdout } = await promisify(execFile)(PYTHON, ["-m", "pip", "cache", "dir"]);
  const settings = join(homedir(), ".config", "pip", "pip.conf");
  return {
    HOME: home,
    PATH: [...new Set([python, "/usr/bin", "/bin"])].join(":"),
    PIP_CACHE_DIR: stdout.trim(),
    ...(existsSync(settings) && { PIP_CONFIG_FILE: process.env.PIP_CONFIG_FILE ?? settings }),
  };
}
