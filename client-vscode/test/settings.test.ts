import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkspaceConfiguration } from "vscode";
import { needsNewServer, serverSettings } from "../src/settings.ts";

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
