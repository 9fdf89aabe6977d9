import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sourcesOf } from "../scripts/translations.ts";

const CLIENT = join(import.meta.dirname, "..");

test("every file of `media` that a source names is packaged", () => {
  const kept = readFileSync(join(CLIENT, ".vscodeignore"), "utf8").match(/(?<=^!media\/).+$/gm) ?? [];
  const patterns = kept.map((name) => new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("*", ".*")}$`));
  const named = [...sourcesOf(CLIENT).values()].flatMap((source) => [...source.matchAll(/"media", "([^"]+)"/g)].map(([, name = ""]) => name));
  assert.ok(named.includes("failed.svg"));
  assert.deepEqual(named.filter((name) => !patterns.some((pattern) => pattern.test(name))), []);
});
