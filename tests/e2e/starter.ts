import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./installation.ts";

const STARTER = join(ROOT, "problems", "benchwright_problems", "packs", "starter");

/** A file of the starter pack in the checkout, such as a problem's hidden reference solution. */
export function starterFile(...path: string[]): string {
  return readFileSync(join(STARTER, ...path), "utf8");
}
