import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { WorkspaceConfiguration } from "vscode";
import { needsNewServer, SERVER_GROUPS, serverSettings } from "../src/settings.ts";

interface Offered {
  readonly type: string;
  readonly default: unknown;
  readonly minimum?: number;
  readonly enum?: readonly string[];
  readonly items?: { readonly type: string };
  readonly additionalProperties?: { readonly type?: string; readonly enum?: readonly string[] };
  readonly markdownDescription?: string;
}

interface Section {
  readonly title: string;
  readonly properties: Record<string, Offered>;
}

const manifest = JSON.parse(read("../package.json")) as { contributes: { configuration: readonly Section[] } };
const sections = manifest.contributes.configuration;
const english = JSON.parse(read("../package.nls.json")) as Readonly<Record<string, string>>;
const offered = Object.fromEntries(sections.flatMap(({ properties }) => Object.entries(properties)));

/** The table that is made from the server's own settings: name → what it has to be, default, description. */
const wanted = new Map(
  [...read("../../docs/reference/settings.md").matchAll(/^\| `([\w.]+)` \| (.+?) \| `(.*?)` \| (.*) \|$/gm)].map(
    ([, name, kind, usual, told]) => [`benchwright.${name}`, { kind, usual: JSON.parse(usual ?? "") as unknown, told }],
  ),
);

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

/** What a setting has to be, in the server's words. */
function kindOf({ type, items, minimum, additionalProperties, enum: choices }: Offered): string {
  if (type === "string" && choices) return `one of ${choices.join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type === "integer" && minimum === 0) return "a whole number, 0 or more";
  if (type === "array" && items?.type === "string") return "a list of strings";
  if (type !== "object") return "a string";
  const values = additionalProperties?.enum?.join(", ");
  return `an object whose values are ${values ? `one of ${values}` : `${additionalProperties?.type}s`}`;
}

test("the editor offers every setting of the server, with its kind and default", () => {
  assert.ok(wanted.size > 40);
  for (const [name, { kind, usual }] of wanted) {
    const setting = offered[name];
    assert.ok(setting, `package.json has no setting ${name}`);
    assert.deepEqual([kindOf(setting), setting.default], [kind, usual], name);
  }
});

test("the editor describes the language server's settings as the reference does, and has no others", () => {
  const section = sections.find(({ title }) => title === "%settings.languageServer%")?.properties ?? {};
  for (const [name, setting] of Object.entries(section)) {
    const described = setting.markdownDescription?.replace(/^%(.+)%$/, (_, key: string) => english[key] ?? "");
    assert.equal(described, wanted.get(name)?.told, name);
  }
});

test("every group of settings is sent to the server", () => {
  const groups = new Set([...wanted.keys()].map((name) => name.split(".")[1]));
  assert.deepEqual([...SERVER_GROUPS].sort(), [...groups].sort());
});

test("the server gets its own settings only, as plain objects", () => {
  const values: Record<string, unknown> = { lint: Object.freeze({ off: ["no-tabs"] }), sandbox: "bwrap" };
  const configuration = { get: (name: string) => values[name] } as WorkspaceConfiguration;
  assert.deepEqual(serverSettings(configuration), { lint: { off: ["no-tabs"] } });
});

test("only a setting that takes effect at the start restarts the server", () => {
  const changed = (setting: string) => ({
    affectsConfiguration: (section: string) => `${setting}.`.startsWith(`${section}.`),
  });
  assert.ok(needsNewServer(changed("benchwright.features.hover")));
  assert.ok(needsNewServer(changed("benchwright.assistant.enabled")));
  assert.ok(!needsNewServer(changed("benchwright.assistant.url")));
  assert.ok(!needsNewServer(changed("benchwright.lint.off")));
});
