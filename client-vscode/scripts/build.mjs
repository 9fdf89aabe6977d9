// Bundles the extension and the scripts of its webviews into out/.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { webviewPages } from "./webviewPages.mjs";

const shared = {
  bundle: true,
  metafile: true,
  minify: process.argv.includes("--production"),
  sourcemap: process.argv.includes("--production") ? false : "linked",
  logLevel: "warning",
};

const extension = await build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.cjs",
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
});
const layout = await build({
  ...shared,
  entryPoints: ["src/design/layoutWorker.ts"],
  outfile: "out/layoutWorker.cjs",
  platform: "node",
  format: "cjs",
  target: "node20",
});
const pages = await build({ ...shared, ...webviewPages("src/webview/pages"), outdir: "out/webview" });

// The licences of the packages inside the bundles ask to go with it.
const folders = [extension, layout, pages].flatMap(({ metafile }) => Object.keys(metafile.inputs)).flatMap(
  (input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? [],
);
const notices = [...new Set(folders)].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(`${folder}/${file}`, "utf8").trim() : ""}\n`;
});
writeFileSync("out/third-party-notices.txt", notices.join(`\n${"-".repeat(80)}\n\n`));

// The server offers its own while one types, where they fit: without a prefix these are only in "Insert Snippet".
const idioms = JSON.parse(readFileSync("../snippets/benchwright_snippets/systemverilog.json", "utf8"));
for (const idiom of Object.values(idioms)) delete idiom.prefix;
writeFileSync("out/systemverilog.json", JSON.stringify(idioms));
copyFileSync("../snippets/benchwright_snippets/cocotb.json", "out/cocotb.json");

// By it the editor completes and checks study files.
copyFileSync("../docs/reference/study.schema.json", "out/study.schema.json");
