import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AIDS } from "../src/assistants/aids.ts";

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

test("while the problems are read, the list says so, and not that there are none", () => {
  const { contributes } = JSON.parse(text) as { contributes: { viewsWelcome: { view: string; when?: string; contents: string }[] } };
  const welcomes = contributes.viewsWelcome.filter(({ view }) => view === "benchwright.problems");
  const shownAt = (packs: string): string[] => welcomes.filter(({ when = "" }) => when.includes(`benchwright.packs == '${packs}'`)).map(({ contents }) => contents);
  const words = JSON.parse(readFileSync(new URL("../package.nls.json", import.meta.url), "utf8")) as Record<string, string>;
  const said = (packs: string): string => shownAt(packs).map((key) => words[key.replaceAll("%", "")] ?? "").join();
  assert.match(said("loading"), /^Loading/);
  assert.match(said("none"), /^No problem packs are installed/);
  assert.match(said("unread"), /could not be read/);
  assert.deepEqual(welcomes.filter(({ when = "" }) => when === "benchwright.server == 'ready'"), []);
});
