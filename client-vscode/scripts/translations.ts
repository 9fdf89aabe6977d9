// Translations of the texts in package.nls.json, and of the messages that sources give to `t`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Texts = Readonly<Record<string, string>>;

export interface TranslationFile {
  /** Inside the extension's folder. */
  readonly path: string;
  readonly language: string;
  readonly translations: Texts;
  /** The texts that may be translated there, by key. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The messages that are given to `t` in a source: one string, or several that are joined. */
export function messagesIn(source: string): string[] {
  return [...source.matchAll(/\bt\(\s*((?:"(?:[^"\\\n]|\\.)*"\s*\+?\s*)+)/g)].map(([, strings = ""]) =>
    [...strings.matchAll(/"(?:[^"\\\n]|\\.)*"/g)].map(([string]) => JSON.parse(string) as string).join(""),
  );
}

/** Each source of the extension by its path in `src`. */
export function sourcesOf(client: string): Map<string, string> {
  const paths = readdirSync(join(client, "src"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  return new Map(paths.map((path) => [path, readFileSync(join(client, "src", path), "utf8")]));
}

/** The files of translations, as they are now. */
export function translationFiles(client: string): TranslationFile[] {
  const read = (path: string): Texts => JSON.parse(readFileSync(join(client, path), "utf8")) as Texts;
  const titles = new Map(Object.entries(read("package.nls.json")));
  const messages = new Map([...sourcesOf(client).values()].flatMap(messagesIn).map((message) => [message, message]));
  const paths = [...readdirSync(client), ...readdirSync(join(client, "l10n")).map((name) => `l10n/${name}`)];
  return paths.flatMap((path) => {
    const [, kind, language] = /(package\.nls|bundle\.l10n)\.(.+)\.json$/.exec(path) ?? [];
    return language ? [{ path, language, translations: read(path), texts: kind === "package.nls" ? titles : messages }] : [];
  });
}

/** The texts that a file does not translate: VS Code shows them in English. */
export function untranslated({ texts, translations }: TranslationFile): string[] {
  return [...texts.keys()].filter((key) => !(key in translations));
}

/** Drops translations of texts that are gone. */
export function dropUnused(client: string): void {
  for (const { path, translations, texts } of translationFiles(client)) {
    const used = Object.entries(translations).filter(([key]) => texts.has(key));
    writeFileSync(join(client, path), `${JSON.stringify(Object.fromEntries(used), null, 2)}\n`);
  }
}
