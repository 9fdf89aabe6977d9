import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AIDS } from "../src/aids.ts";

const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
const clauses = [...text.matchAll(/"when": ("(?:[^"\\]|\\.)*")/g)].map(([, clause = ""]) => JSON.parse(clause) as string);

test("no clause has a quoted key, which the editor takes for a mistake and then shows what the clause would hide", () => {
  assert.ok(clauses.length > 50);
  for (const clause of clauses) assert.doesNotMatch(clause, /'\s*(?:(?:not\s+)?in\b|==|!=|=~|<|>)/, clause);
});

test("clauses name every kind of help, as the editor is told of it, and no other", () => {
  const named = clauses.flatMap((clause) => [...clause.matchAll(/benchwright\.aid\.(\w+)/g)].map(([, aid = ""]) => aid));
  assert.deepEqual([...new Set(named)].sort(), [...AIDS].sort());
  assert.ok(!clauses.some((clause) => clause.includes("benchwright.aids")));
});
