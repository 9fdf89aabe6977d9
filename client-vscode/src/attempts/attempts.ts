import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { AIDS, OWN_WORK } from "../assistants/aids.ts";
import type { AttemptStatus, SubmitSummary } from "../generated/protocol.ts";
import type { Server } from "../server/server.ts";

/** What changed of one attempt; `before` is absent when it was not known yet. */
export interface AttemptChange {
  readonly before: AttemptStatus | undefined;
  readonly now: AttemptStatus;
}

/** The attempts this window knows, and which of them the person works on. */
export class Attempts implements vscode.Disposable {
  private readonly byFolder = new Map<string, { status: AttemptStatus; seenAt: number }>();
  private readonly summaries = new Map<string, SubmitSummary>();
  private currentFolder: string | undefined;
  private readonly changed = new vscode.EventEmitter<AttemptChange>();
  private readonly currentChanged = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChange = this.changed.event;
  /** Another attempt became the current one, or the current one changed. */
  readonly onDidChangeCurrent = this.currentChanged.event;

  constructor(private readonly server: Server) {
    this.subscriptions = [
      server.onAttemptChanged((status) => this.update(status)),
      server.onDidChangeState((state) => {
        if (state === "ready") void this.refresh();
      }),
      vscode.window.tabGroups.onDidChangeTabs(() => void this.followActiveTab()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => void this.followActiveTab()),
    ];
  }

  get current(): AttemptStatus | undefined {
    return this.currentFolder === undefined ? undefined : this.byFolder.get(this.currentFolder)?.status;
  }

  get all(): AttemptStatus[] {
    return [...this.byFolder.values()].map(({ status }) => status);
  }

  /** Seconds the clock of an attempt ran until this moment; undefined while its study hides them. */
  activeSeconds(status: AttemptStatus): number | undefined {
    return status.activeS == null ? undefined : status.activeS + this.sinceSeen(status);
  }

  /** Seconds that are left of its time limit; undefined without one, and while its study hides them. */
  secondsLeft(status: AttemptStatus): number | undefined {
    return status.remainingS == null ? undefined : Math.max(0, status.remainingS - this.sinceSeen(status));
  }

  private sinceSeen(status: AttemptStatus): number {
    const seen = this.byFolder.get(folderPath(status));
    return status.state === "running" && !status.held && seen ? (performance.now() - seen.seenAt) / 1000 : 0;
  }

  summary(attempt: string): SubmitSummary | undefined {
    return this.summaries.get(attempt);
  }

  submitted(summary: SubmitSummary): void {
    this.summaries.set(summary.status.attempt, summary);
    this.update(summary.status);
  }

  update(status: AttemptStatus): void {
    const folder = folderPath(status);
    const before = this.byFolder.get(folder)?.status;
    this.byFolder.set(folder, { status, seenAt: performance.now() });
    this.changed.fire({ before, now: status });
    if (folder === this.currentFolder) this.announceCurrent();
  }

  makeCurrent(status: AttemptStatus): void {
    this.update(status);
    this.currentFolder = folderPath(status);
    this.announceCurrent();
  }

  /** The attempt whose workspace holds `uri`, if this window knows it already. */
  known(uri: vscode.Uri): AttemptStatus | undefined {
    if (uri.scheme !== "file") return undefined;
    for (let folder = uri.fsPath; ; folder = dirname(folder)) {
      const found = this.byFolder.get(folder);
      if (found || folder === dirname(folder)) return found?.status;
    }
  }

  /** The attempt whose workspace holds `uri`; the server is asked if the window does not know it yet. */
  async of(uri: vscode.Uri): Promise<AttemptStatus | undefined> {
    const folder = await workspaceAbove(uri);
    if (folder === undefined) return undefined;
    if (!this.byFolder.has(folder)) await this.ask(folder);
    return this.byFolder.get(folder)?.status;
  }

  /** Makes the attempt that `uri` belongs to the current one; does nothing if there is none. */
  async follow(uri: vscode.Uri): Promise<void> {
    const status = await this.of(uri);
    if (status === undefined || folderPath(status) === this.currentFolder) return;
    this.currentFolder = folderPath(status);
    this.announceCurrent();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changed, this.currentChanged).dispose();
  }

  private async refresh(): Promise<void> {
    await Promise.all([...this.byFolder.keys()].map((folder) => this.ask(folder)));
    for (const folder of vscode.workspace.workspaceFolders ?? []) await this.follow(folder.uri);
    await this.followActiveTab();
    // Listeners also need to know that there is no attempt.
    if (this.currentFolder === undefined) this.announceCurrent();
  }

  private async ask(folder: string): Promise<void> {
    try {
      this.update(await this.server.request("status", { uri: vscode.Uri.file(folder).toString() }));
    } catch {
      // A folder of another installation, or the server is not there: no attempt to show.
    }
  }

  private async followActiveTab(): Promise<void> {
    const uri = activeFile();
    if (uri === undefined) return;
    await this.of(uri);
    // The person may have changed to another tab in the meantime.
    if (activeFile()?.toString() === uri.toString()) await this.follow(uri);
  }

  private announceCurrent(): void {
    void vscode.commands.executeCommand("setContext", "benchwright.attempt", this.current?.state ?? "none");
    void vscode.commands.executeCommand("setContext", "benchwright.hasVerdict", Boolean(this.current?.verdict));
    const allowed = this.current?.aids ?? OWN_WORK;
    for (const aid of AIDS) void vscode.commands.executeCommand("setContext", `benchwright.aid.${aid}`, allowed.includes(aid));
    this.currentChanged.fire();
  }
}

/** Whether the attempt has not ended. */
export function isUnfinished(status: AttemptStatus): boolean {
  return status.state === "open" || status.state === "running" || status.state === "paused";
}

function activeFile(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
}

function folderPath(status: AttemptStatus): string {
  return vscode.Uri.parse(status.workspace).fsPath.replace(/[/\\]$/, "");
}

async function workspaceAbove(uri: vscode.Uri): Promise<string | undefined> {
  if (uri.scheme !== "file") return undefined;
  for (let folder = uri.fsPath; ; folder = dirname(folder)) {
    if (await exists(join(folder, ".benchwright.json"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
