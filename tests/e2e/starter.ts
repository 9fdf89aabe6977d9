import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./installation.ts";

const STARTER = join(ROOT, "problems", "benchwright_problems", "packs", "starter");

/** A file of the starter pack in the checkout, such as a problem's hidden reference solution. */
export function starterFile(...path: string[]): string {
  return readFileSync(join(STARTER, ...path), "utf8");
}

/** Lines that only the hidden parts of a problem have: tests, reference, key. None looks different in JSON. */
export function hiddenLines(problem: string): string[] {
  const hidden = [...textsBelow(join(STARTER, problem, "hidden")), explanation(problem)].join("\n").split("\n");
  const shown = readdirSync(STARTER).flatMap((name) => textsBelow(join(STARTER, name, "public")));
  const repositories = textsBelow(join(dirname(STARTER), "small-core", "trees"));
  const known = [...shown, ...repositories, ...textsBelow(join(ROOT, "snippets"))].join("\n");
  const lines = new Set(hidden.map((line) => line.trim()));
  return [...lines].filter((line) => /^[^"\\]{20,}$/.test(line) && !known.includes(line));
}

function textsBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

/** What a problem says about its key, in sentences. */
function explanation(problem: string): string {
  const found = /explanation = """([^"]*)"""/.exec(starterFile(problem, "problem.toml"))?.[1] ?? "";
  return found.replaceAll("\\\n", "").replaceAll(/(?<=\.) /g, "\n");
}
