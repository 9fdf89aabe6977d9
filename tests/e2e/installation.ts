import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Pictures and logs of the last run. */
export const ARTIFACTS = join(ROOT, "tests", "e2e", "artifacts");

/** What the tests need on this machine, each with the environment variable that puts another in its place. */
export function installed() {
  return {
    extension: found("BENCHWRIGHT_VSIX", join(ROOT, "client-vscode", "benchwright.vsix")),
    benchwright: found("BENCHWRIGHT_COMMAND", join(ROOT, ".venv", "bin", "benchwright")),
    codeServer: found("BENCHWRIGHT_CODE_SERVER", ""),
    chromium: found("CHROMIUM", "/usr/bin/chromium"),
  };
}

function found(variable: string, usual: string): string {
  const path = process.env[variable] || usual;
  if (!existsSync(path)) {
    throw new Error(`${path || "A path"} is not there. Run ./test, which sets up everything, or set ${variable}.`);
  }
  return path;
}
