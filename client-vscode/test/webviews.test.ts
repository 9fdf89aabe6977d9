import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { writePanels } from "../scripts/panels.ts";
import { webviewPages } from "../scripts/webviewPages.mjs";

// A webview is a page in the folder of pages, and a panel that one line registers: so `docs/how-to/extend.md` says.

const TOY = fileURLToPath(new URL("toy", import.meta.url));
const require = createRequire(import.meta.url);

interface ShownPanel {
  readonly webview: { readonly html: string };
  readonly posted: unknown[];
  readonly isDisposed: boolean;
  receive(message: unknown): void;
}

interface Editor {
  readonly commands: { readonly registered: Map<string, (argument?: string) => Promise<void>> };
  readonly window: { readonly panels: ShownPanel[] };
}

interface ToyModule {
  register(context: object): { dispose(): void };
}

test("a page and a panel that one line registers talk to each other", async () => {
  const out = mkdtempSync(join(tmpdir(), "benchwright-webview-"));
  const vscode = join(TOY, "vscode.cjs");
  const bundle = join(out, "panel.cjs");
  await build({
    ...{ bundle: true, platform: "node", format: "cjs", outfile: bundle },
    entryPoints: [join(TOY, "panels.ts")],
    // The same stand-in for the editor that this test looks into.
    plugins: [
      {
        name: "editor",
        setup: (bundler) => bundler.onResolve({ filter: /^vscode$/ }, () => ({ path: vscode, external: true })),
      },
    ],
  });
  const editor = require(vscode) as Editor;
  const kept = new Map<string, unknown>();
  const memory = { update: (name: string, value: unknown) => kept.set(name, value) };
  const registered = (require(bundle) as ToyModule).register({ extension: "extension", memory });

  await editor.commands.registered.get("benchwright.ui.toy")?.("engineer");
  const panel = editor.window.panels[0] ?? assert.fail("No panel was opened.");
  assert.match(panel.webview.html, /script nonce="[^"]+" src="https:\/\/panel\/extension\/out\/webview\/toy\.js"/);
  assert.match(panel.webview.html, /default-src 'none'/);

  await build({ ...webviewPages(join(TOY, "pages")), outdir: out });
  const page = new Page(readFileSync(join(out, "toy.js"), "utf8"), (message) => panel.receive(message));
  assert.deepEqual(panel.posted, [{ type: "greeting", text: "Hello, engineer" }]);
  page.receive(panel.posted[0]);
  assert.deepEqual(page.shown, ["Hello, engineer"]);
  assert.equal(kept.get("thanked"), true);

  registered.dispose();
  assert.ok(panel.isDisposed);
  assert.equal(editor.commands.registered.size, 0);
});

test("the line that registers a panel gives the manifest its command, title, icon and clause", async () => {
  const client = mkdtempSync(join(tmpdir(), "benchwright-manifest-"));
  const files = ["package.json", "package.nls.json"];
  for (const name of files) copyFileSync(new URL(`../${name}`, import.meta.url), join(client, name));
  const read = (): string[] => files.map((name) => readFileSync(join(client, name), "utf8"));

  await writePanels(client, join(TOY, "panels.ts"));
  const [manifest = "", titles = ""] = read();
  const { contributes } = JSON.parse(manifest) as { contributes: { commands: object[]; menus: { commandPalette: object[] } } };
  const toy = { command: "benchwright.ui.toy", category: "Benchwright", title: "%command.toy%", icon: "$(beaker)" };
  assert.deepEqual(contributes.commands.at(-1), toy);
  assert.deepEqual(contributes.menus.commandPalette.at(-1), { command: "benchwright.ui.toy", when: "editorLangId == toy" });
  assert.match(titles, /"command\.toy": "Show Toy"/);

  await writePanels(client, join(TOY, "panels.ts"));
  assert.deepEqual(read(), [manifest, titles]);
});

test("a page speaks the language that its document brings", async () => {
  const out = mkdtempSync(join(tmpdir(), "benchwright-webview-"));
  await build({ ...webviewPages(join(TOY, "pages")), outdir: out });
  const bundle = { "Thank you": "Danke" };
  const page = new Page(readFileSync(join(out, "translated.js"), "utf8"), () => undefined, JSON.stringify(bundle));
  assert.deepEqual(page.shown, ["Danke", "Hello, Ada"]);
});

/** A page's script with as much of a browser as it needs. */
class Page {
  readonly shown: string[] = [];
  private readonly listeners: ((event: { data: unknown }) => void)[] = [];

  constructor(script: string, send: (message: unknown) => void, bundle = "") {
    const main = { append: (text: string) => this.shown.push(text) };
    const found = (selector: string) => (selector === "#l10n" ? { textContent: bundle } : main);
    const window = { addEventListener: (_: string, listener: (event: { data: unknown }) => void) => this.listeners.push(listener) };
    const page = { window, document: { querySelector: found }, acquireVsCodeApi: () => ({ postMessage: send }) };
    runInContext(script, createContext(page));
  }

  receive(data: unknown): void {
    for (const listener of this.listeners) listener({ data });
  }
}
