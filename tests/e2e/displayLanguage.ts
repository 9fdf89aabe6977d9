import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Lets an editor that has not started offer display languages, as language packs do that leave VS Code's own words in English.
 *
 * VS Code enters a pack in `languagepacks.json` when it is installed in a running editor, and takes the display language from there only.
 */
export async function offerLanguages(folder: string, languages: readonly string[]): Promise<void> {
  const translation = join(folder, "editor", "words.json");
  await mkdir(userData(folder), { recursive: true });
  await writeFile(translation, JSON.stringify({ contents: {} }));
  // Without an extension that the words are from, VS Code fails to list any extension.
  const extensions = [{ extensionIdentifier: { id: "benchwright-tests.words" }, version: "1.0.0" }];
  const packs = languages.map((language) => [language, { hash: language, extensions, translations: { vscode: translation }, label: language }]);
  await writeFile(join(userData(folder), "languagepacks.json"), JSON.stringify(Object.fromEntries(packs)));
}

/** Chooses the display language, as *Configure Display Language* does; an open window has it when it is loaded again. */
export async function chooseLanguage(folder: string, language: string): Promise<void> {
  const user = join(userData(folder), "User");
  await mkdir(user, { recursive: true });
  await writeFile(join(user, "argv.json"), JSON.stringify({ locale: language }));
}

function userData(folder: string): string {
  return join(folder, "editor", "user-data");
}
