import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { AI_SETTINGS, isAiExtension, isOn, switchedOff } from "./aiFeatures.ts";
import { isUnfinished, type Attempts } from "../attempts/attempts.ts";
import { reportsReasons } from "./changeReasons.ts";
import type { AttemptStatus, EnvironmentParams, ExtensionView } from "../generated/protocol.ts";
import type { Server } from "../server/server.ts";

const SWITCHED = "benchwright.switchedOff";
const REPORT_AFTER_MS = 300;
const EFFECTIVE_WITHIN_MS = 20_000;

/** Settings, beside those of AI features, that affect how somebody works. */
const REPORTED_SETTINGS: readonly string[] = [
  "benchwright.assistant.enabled",
  "benchwright.assistant.model",
  "editor.formatOnSave",
  "editor.quickSuggestions",
  "editor.suggest.preview",
  "files.autoSave",
];

/** The solver's editor: AI features as the condition requires, and a report of extensions and settings. */
export class SolverEnvironment implements vscode.Disposable {
  private reported = "";
  private timer: NodeJS.Timeout | undefined;
  private updating: Promise<void> = Promise.resolve();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly attempts: Attempts,
    private readonly context: vscode.ExtensionContext,
  ) {
    this.subscriptions = [
      attempts.onDidChangeCurrent(() => this.schedule()),
      vscode.extensions.onDidChange(() => this.schedule()),
      vscode.workspace.onDidChangeConfiguration(() => this.schedule()),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Several changes at once are reported once. */
  private schedule(): void {
    clearTimeout(this.timer);
    // One after the other: switching on what is being switched off would leave half of each.
    this.timer = setTimeout(() => {
      this.updating = this.updating.then(() => this.update()).catch(() => undefined);
    }, REPORT_AFTER_MS);
  }

  private async update(): Promise<void> {
    const status = this.attempts.current;
    if (!status || !isUnfinished(status)) {
      await this.switchOn();
      return;
    }
    if (await this.isWithoutHelp(status)) await this.switchOff();
    else await this.switchOn();
    const environment = this.environment(status);
    const report = JSON.stringify([status.attempt, environment]);
    if (report === this.reported) return;
    this.reported = report;
    await this.server.notify("environment", environment);
  }

  private async isWithoutHelp(status: AttemptStatus): Promise<boolean> {
    if (!status.study) return status.withoutHelp === true && isOpen(status.workspace);
    const view = await this.server.request("study", { study: status.study });
    return view.solver === "human" && view.workspace === status.workspace;
  }

  /** Switches AI features off in the settings of this folder, and remembers what was there. */
  private async switchOff(): Promise<void> {
    const before = { ...this.context.workspaceState.get<Record<string, unknown>>(SWITCHED) };
    const settings = vscode.workspace.getConfiguration();
    for (const setting of AI_SETTINGS) {
      const now = settings.inspect(setting.key);
      if (now?.defaultValue === undefined || !isOn(setting, settings.get(setting.key))) continue;
      if (!(setting.key in before)) before[setting.key] = now.workspaceValue ?? null;
      await this.context.workspaceState.update(SWITCHED, before);
      await setForWorkspace(setting.key, switchedOff(setting, settings.get(setting.key)));
    }
  }

  /** Puts back what `switchOff` found. */
  private async switchOn(): Promise<void> {
    const before = this.context.workspaceState.get<Record<string, unknown>>(SWITCHED);
    if (!before) return;
    for (const [key, value] of Object.entries(before)) await setForWorkspace(key, value ?? undefined);
    await this.context.workspaceState.update(SWITCHED, undefined);
  }

  private environment(status: AttemptStatus): EnvironmentParams {
    const settings = vscode.workspace.getConfiguration();
    const known = AI_SETTINGS.filter(({ key }) => settings.inspect(key)?.defaultValue !== undefined);
    const reported = [...known.map(({ key }) => key), ...REPORTED_SETTINGS];
    return {
      uri: status.workspace,
      editor: `${vscode.env.appName} ${vscode.version}`,
      platform: process.platform,
      extensions: vscode.extensions.all.flatMap(extensionView),
      aiFeatures: Object.fromEntries(known.map((setting) => [setting.key, isOn(setting, settings.get(setting.key))])),
      settings: Object.fromEntries(reported.map((key) => [key, plain(settings.get(key))])),
      changeReasons: reportsReasons(this.context.extension),
    };
  }
}

/** Whether a folder is open, by itself or in one above it. */
function isOpen(uri: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri)) !== undefined;
}

/** Changes a setting of this folder, and waits until it is in effect. */
async function setForWorkspace(key: string, value: unknown): Promise<void> {
  const present = (): string => JSON.stringify(vscode.workspace.getConfiguration().inspect(key)?.workspaceValue);
  try {
    await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Workspace);
    for (let waited = 0; waited < EFFECTIVE_WITHIN_MS && present() !== JSON.stringify(value); waited += 50) {
      await sleep(50);
    }
  } catch {
    // A setting that can't be changed here stays as it is, and the report shows it.
  }
}

/** Built-in extensions are left out, unless they are AI. */
function extensionView(extension: vscode.Extension<unknown>): ExtensionView[] {
  const { version, categories, isBuiltin } = extension.packageJSON as Record<string, unknown>;
  const ai = isAiExtension(extension.id, categories);
  return isBuiltin && !ai ? [] : [{ id: extension.id, version: String(version), active: extension.isActive, ai }];
}

function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
