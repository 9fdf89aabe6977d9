import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const CLIENT = fileURLToPath(new URL("..", import.meta.url));
const LANGUAGES = ["de", "fr", "zh-cn"];

type Bundle = Readonly<Record<string, string>>;

const read = (path: string): Bundle => JSON.parse(readFileSync(join(CLIENT, path), "utf8")) as Bundle;
const sources = readdirSync(join(CLIENT, "src"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));

/** The messages that are given to `t` in a text: one string, or several that are joined. */
function messagesIn(text: string): string[] {
  return [...text.matchAll(/\bt\(\s*((?:"(?:[^"\\\n]|\\.)*"\s*\+?\s*)+)/g)].map(([, strings = ""]) =>
    [...strings.matchAll(/"(?:[^"\\\n]|\\.)*"/g)].map(([string]) => JSON.parse(string) as string).join(""),
  );
}

const messages = new Set(sources.flatMap((path) => messagesIn(readFileSync(join(CLIENT, "src", path), "utf8"))));

/** What a translation must keep: places for values, code, and the commands of links. */
function kept(text: string): string[] {
  return [...text.matchAll(/\{\d\}|`[^`]+`|\]\(command:[\w.]+\)|\$\([\w-]+\)/g)].map(([part]) => part).sort();
}

test("the messages of the sources are found", () => {
  assert.deepEqual(messagesIn('t("one") t(\n "two " + "parts {0}", x) at("three")'), ["one", "two parts {0}"]);
  assert.ok(messages.size > 250);
});

test("`t` is only called with its message in place, where it can be found", () => {
  for (const path of sources) {
    const text = readFileSync(join(CLIENT, "src", path), "utf8");
    if (!text.includes('from "@vscode/l10n"')) continue;
    assert.equal([...text.matchAll(/(?<![\w.])t\(/g)].length, messagesIn(text).length, path);
  }
});

for (const language of LANGUAGES) {
  test(`every message has a translation into ${language} that keeps its values, and there is no other`, () => {
    const bundle = read(`l10n/bundle.l10n.${language}.json`);
    assert.deepEqual(Object.keys(bundle).sort(), [...messages].sort());
    for (const [message, translation] of Object.entries(bundle)) {
      assert.deepEqual(kept(translation), kept(message), message);
      assert.equal(translation.trim() === "", message.trim() === "", message);
    }
  });

  test(`a message in ${language} names commands as they are called in that language`, () => {
    const english = read("package.nls.json");
    const translated = read(`package.nls.${language}.json`);
    const bundle = read(`l10n/bundle.l10n.${language}.json`);
    for (const [key, title] of Object.entries(english)) {
      const naming = [...messages].filter((message) => key.startsWith("command.") && message.includes(`Benchwright: ${title}`));
      for (const message of naming) assert.ok(bundle[message]?.includes(translated[key] ?? "-"), `${key} in: ${message}`);
    }
  });

  test(`commands, views, settings and first steps have translations into ${language} that keep their links`, () => {
    const english = read("package.nls.json");
    const translated = read(`package.nls.${language}.json`);
    assert.deepEqual(Object.keys(translated).sort(), Object.keys(english).sort());
    for (const [key, text] of Object.entries(english)) assert.deepEqual(kept(translated[key] ?? ""), kept(text), key);
  });
}

test("the manifest uses every text of its own, and has those that it uses", () => {
  const used = [...readFileSync(join(CLIENT, "package.json"), "utf8").matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(read("package.nls.json")).sort());
});
