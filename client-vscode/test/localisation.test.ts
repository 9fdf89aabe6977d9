import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { dropUnused, messagesIn, sourcesOf, translationFiles, untranslated, type Texts } from "../scripts/translations.ts";

const CLIENT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = sourcesOf(CLIENT);
const MESSAGES = [...SOURCES.values()].flatMap(messagesIn);
const FILES = translationFiles(CLIENT);
const TITLES = JSON.parse(readFileSync(join(CLIENT, "package.nls.json"), "utf8")) as Texts;

/** What a translation must keep: places for values, code, and the commands of links. */
function kept(text: string): string[] {
  return [...text.matchAll(/\{\d\}|`[^`]+`|\]\(command:[\w.]+\)|\$\([\w-]+\)/g)].map(([part]) => part).sort();
}

test("the messages of the sources are found", () => {
  assert.deepEqual(messagesIn('t("one") t(\n "two " + "parts {0}", x) at("three")'), ["one", "two parts {0}"]);
  assert.ok(new Set(MESSAGES).size > 250);
  assert.ok(FILES.length > 2);
});

test("`t` is only called with its message in place, where it can be found", () => {
  for (const [path, source] of SOURCES) {
    if (!source.includes('from "@vscode/l10n"')) continue;
    assert.equal([...source.matchAll(/(?<![\w.])t\(/g)].length, messagesIn(source).length, path);
  }
});

test("translations of texts that are gone are dropped, and texts without a translation are named", () => {
  const client = mkdtempSync(join(tmpdir(), "benchwright-translations-"));
  for (const folder of ["src", "l10n"]) mkdirSync(join(client, folder));
  writeFileSync(join(client, "src", "a.ts"), 't("Run"); t("Stop");');
  const write = (path: string, texts: Texts): void => writeFileSync(join(client, path), JSON.stringify(texts));
  write("package.nls.json", { "setting.a": "A", "setting.b": "B" });
  write("package.nls.de.json", { "setting.gone": "Weg", "setting.b": "B" });
  write("l10n/bundle.l10n.de.json", { Run: "Ausführen", Gone: "Weg" });

  dropUnused(client);
  const files = translationFiles(client).map((file) => [file.path, file.translations, untranslated(file)]);
  assert.deepEqual(files, [
    ["package.nls.de.json", { "setting.b": "B" }, ["setting.a"]],
    ["l10n/bundle.l10n.de.json", { Run: "Ausführen" }, ["Stop"]],
  ]);
});

for (const file of FILES) {
  test(`translations in ${file.path} keep values, code and links, and are all used`, (context) => {
    for (const [key, translation] of Object.entries(file.translations)) {
      const text = file.texts.get(key) ?? assert.fail(`not used: ${key}; run: npm --workspace client-vscode run generate`);
      assert.deepEqual(kept(translation), kept(text), key);
      assert.equal(translation.trim() === "", text.trim() === "", key);
    }
    for (const key of untranslated(file)) context.diagnostic(`no translation, so shown in English: ${key}`);
  });
}

for (const { language, path, translations } of FILES.filter(({ path }) => path.startsWith("l10n/"))) {
  test(`a message in ${language} names commands as they are called in that language`, () => {
    const titles = FILES.find((file) => file.language === language && file.path !== path)?.translations ?? {};
    for (const [key, english] of Object.entries(TITLES)) {
      const title = titles[key] ?? english;
      const naming = MESSAGES.filter((message) => key.startsWith("command.") && message.includes(`Benchwright: ${english}`));
      for (const message of naming) assert.ok((translations[message] ?? title).includes(title), `${key} in: ${message}`);
    }
  });
}

test("the manifest uses every text of its own, and has those that it uses", () => {
  const used = [...readFileSync(join(CLIENT, "package.json"), "utf8").matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(TITLES).sort());
});
