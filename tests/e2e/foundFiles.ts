import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** All files below a folder, which may be absent. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The files below a folder that hold one of some texts, each with that text; none of those below other folders. */
export async function filesHolding(folder: string, texts: readonly string[], without: readonly string[] = []): Promise<string[]> {
  const found: string[] = [];
  for (const file of await filesBelow(folder)) {
    if (without.some((other) => file.startsWith(other))) continue;
    const content = (await readFile(file)).toString("latin1");
    found.push(...texts.filter((text) => content.includes(text)).map((text) => `${file}: ${text}`));
  }
  return found;
}
