import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

/** The modules of ours that a module imports, types too. */
function importsOf(module: string): string[] {
  const text = readFileSync(join(SOURCES, module), "utf8");
  return [...text.matchAll(/^(?:import|export)\b(?:[^;]*?from)? "(\.[^"]+)";$/gms)].map(([, path]) => {
    return normalize(join(dirname(module), path ?? ""));
  });
}

const modules = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
const graph = new Map(modules.map((module) => [module, importsOf(module)]));

/** The first circle of imports that starts at a module, if there is one. */
function circle(path: readonly string[], done: Set<string>): readonly string[] | undefined {
  const module = path.at(-1) ?? "";
  if (path.indexOf(module) < path.length - 1) return path;
  if (done.has(module)) return undefined;
  for (const next of graph.get(module) ?? []) {
    const found = circle([...path, next], done);
    if (found) return found;
  }
  done.add(module);
  return undefined;
}

test("no module imports itself by way of others, not even for types", () => {
  assert.ok((graph.get("extension.ts")?.length ?? 0) > 10, "The imports were not recognised.");
  const done = new Set<string>();
  for (const module of modules) assert.equal(circle([module], done)?.join(" → "), undefined);
});

test("every module is imported by another one, or is a page, a thread, what pages begin with, or the extension itself", () => {
  const imported = new Set([...graph.values()].flat());
  const unused = modules.filter((module) => {
    return !imported.has(module) && !["extension.ts", "design/layoutWorker.ts", "webview/translation.ts"].includes(module) && !module.endsWith(".d.ts") && !module.includes("pages");
  });
  assert.deepEqual(unused, []);
});
