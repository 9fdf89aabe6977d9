import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const TRANSLATION = fileURLToPath(new URL("../src/webview/translation.ts", import.meta.url));

/** The bundler's options for the pages of webviews: every module of a folder is the script of a page of its name. */
export function webviewPages(folder) {
  const modules = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  return {
    bundle: true,
    entryPoints: modules.map((name) => join(folder, name)),
    // Before every module of a page: constants are made of translated words.
    inject: [TRANSLATION],
    platform: "browser",
    format: "iife",
    target: "es2022",
  };
}
