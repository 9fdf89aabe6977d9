import type { ConfigurationChangeEvent, WorkspaceConfiguration } from "vscode";

/** What of our settings is the server's. */
export const SERVER_GROUPS = [
  "features",
  "diagnostics",
  "lint",
  "codeActions",
  "inlayHints",
  "project",
  "assistant",
  "judge",
] as const;

/** What counts only when the server starts; it follows the others by itself. */
const AT_START = [
  "server.command",
  "sandbox",
  "features",
  "assistant.enabled",
  "codeActions.fixAllOnSave",
] as const;

/** The server's settings, as it wants them when it is greeted. */
export function serverSettings(configuration: WorkspaceConfiguration): Record<string, unknown> {
  const settings = Object.fromEntries(SERVER_GROUPS.map((group) => [group, configuration.get(group)]));
  // The editor's own objects refuse some of what one does to objects.
  return JSON.parse(JSON.stringify(settings)) as Record<string, unknown>;
}

export function needsNewServer(event: Pick<ConfigurationChangeEvent, "affectsConfiguration">): boolean {
  return AT_START.some((setting) => event.affectsConfiguration(`benchwright.${setting}`));
}
