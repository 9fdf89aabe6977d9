// Writes the commands that open panels into package.json and package.nls.json.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Panels } from "../src/panel.ts";
import { inline } from "./json.ts";

/** Gives each panel that a module registers a command, its title and its entry in the command palette. */
export async function writePanels(client: string, module: string): Promise<void> {
  const panels = Object.entries(await readPanels(module));
  rewrite(join(client, "package.json"), (manifest) =>
    panels.reduce((text, [name, { icon, when }]) => {
      const command = `benchwright.ui.${name}`;
      const shown = icon ? { icon: `$(${icon})` } : {};
      const titled = withEntry(text, "commands", command, { category: "Benchwright", title: `%command.${name}%`, ...shown });
      return withEntry(titled, "commandPalette", command, when ? { when } : undefined);
    }, manifest),
  );
  rewrite(join(client, "package.nls.json"), (text) => {
    const titles = Object.fromEntries(panels.map(([name, { title }]) => [`command.${name}`, title]));
    return `${JSON.stringify({ ...(JSON.parse(text) as object), ...titles }, null, 2)}\n`;
  });
}

/** The panels of a module, whose imports need VS Code and are left out. */
async function readPanels(module: string): Promise<Panels> {
  const { outputFiles } = await build({
    ...{ entryPoints: [module], bundle: true, format: "esm", write: false },
    plugins: [
      {
        name: "without imports",
        setup(bundler) {
          bundler.onResolve({ filter: /./ }, ({ kind, path }) => (kind === "entry-point" ? null : { path, namespace: "absent" }));
          bundler.onLoad({ filter: /./, namespace: "absent" }, () => ({ contents: "module.exports = {};" }));
        },
      },
    ],
  });
  const code = outputFiles.map(({ text }) => text).join("");
  return ((await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { PANELS: Panels }).PANELS;
}

/** A list of the manifest, an entry to a line, with what it says of a command in its place or at the end. */
function withEntry(manifest: string, list: string, command: string, fields: object | undefined): string {
  return manifest.replace(new RegExp(`(?<="${list}": \\[\n)[^]*?(?=\n *\\])`), (section) => {
    const lines = section.split(",\n");
    const place = lines.findIndex((line) => line.includes(`"command": "${command}"`));
    const indentation = /^ */.exec(section)?.[0] ?? "";
    const entry = fields ? [indentation + inline({ command, ...fields })] : [];
    lines.splice(place < 0 ? lines.length : place, place < 0 ? 0 : 1, ...entry);
    return lines.join(",\n");
  });
}

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}
