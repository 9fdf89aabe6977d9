import type { ConfigurationChangeEvent, WorkspaceConfiguration } from "vscode";
import { SERVER_GROUPS } from "./generated/settings.ts";

/** Settings that take effect when the server starts; it follows changes of the others. */
const AT_START = [
  "server.command",
  "sandbox",
  "features",
  "assistant.enabled",
  "codeActions.fixAllOnSave",
] as const;

/** The server's settings, as its `initialize` request takes them. */
export function serverSettings(configuration: WorkspaceConfiguration): Record<string, unknown> {
  const settings = Object.fromEntries(SERVER_GROUPS.map((group) => [group, configuration.get(group)]));
  // The editor's own objects are proxies that can't be cloned.
  return JSON.parse(JSON.stringify(settings)) as Record<string, unknown>;
}

export function needsNewServer(event: Pick<ConfigurationChangeEvent, "affectsConfiguration">): boolean {
  return AT_START.some((setting) => event.affectsConfiguration(`benchwright.${setting}`));
}
