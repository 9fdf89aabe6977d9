import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "../attempts/attempts.ts";
import type { AttemptStatus } from "../generated/protocol.ts";
import { doneSteps, guidePage, steps, type StepId } from "./guideSteps.ts";
import type { Hints } from "../attempts/hints.ts";
import type { Opening } from "./opening.ts";
import { WebviewHost } from "../webviewHost.ts";
import type { FromGuide, ToGuide } from "../webview/pages/guide.ts";

const PROBLEM = "starter/saturating-counter";
const FILE = "rtl/sat_counter.sv";
const MEMORY = "benchwright.guide";

/** What is kept of the guide between windows. */
interface Kept {
  readonly attempt: string;
  readonly done: readonly StepId[];
  /** Whether the person has left it, to continue some time. */
  readonly isLeft: boolean;
}

/** Leads through a first problem, by what the person really does; can be left and continued. */
export class Guide implements vscode.WebviewViewProvider, vscode.Disposable {
  private host: WebviewHost<ToGuide, FromGuide> | undefined;
  private showedResults = false;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly attempts: Attempts,
    private readonly hints: Hints,
    private readonly opening: Opening,
    private readonly memory: vscode.Memento,
  ) {
    const follow = () => void this.follow();
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider("benchwright.guide", this),
      attempts.onDidChange(follow),
      attempts.onDidChangeCurrent(follow),
      hints.onDidChange(follow),
      vscode.languages.onDidChangeDiagnostics(follow),
    ];
    this.announce();
  }

  /** Begins the guided problem, or continues with it. */
  async start(): Promise<void> {
    const kept = this.kept;
    await this.opening.openGuided(PROBLEM, async (attempt) => {
      const done = kept?.attempt === attempt ? kept.done : [];
      await this.keep({ attempt, done, isLeft: false });
    });
    await vscode.commands.executeCommand("benchwright.guide.focus");
  }

  /** Hides the guide; the attempt stays as it is. */
  async leave(): Promise<void> {
    if (this.kept) await this.keep({ ...this.kept, isLeft: true });
  }

  /** The person sees results. */
  async sawResults(): Promise<void> {
    this.showedResults = true;
    await this.follow();
  }

  async showFile(): Promise<void> {
    const status = this.status();
    if (!status) return;
    const file = vscode.Uri.joinPath(vscode.Uri.parse(status.workspace), FILE);
    await vscode.window.showTextDocument(file, { viewColumn: vscode.ViewColumn.One });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const page = { extension: this.extension, page: "guide", title: t("Guide") };
    this.host = new WebviewHost(view.webview, page, (message) => {
      if (message.type === "ready") this.post();
      else if (message.type === "leave") void this.leave();
      else if (message.type === "skip") void this.skip();
      else if (steps().some(({ actions }) => actions.some(({ command }) => command === message.command))) {
        void vscode.commands.executeCommand(message.command);
      }
    });
    view.onDidDispose(() => (this.host = undefined));
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private get kept(): Kept | undefined {
    return this.memory.get<Kept>(MEMORY);
  }

  private status(): AttemptStatus | undefined {
    return this.attempts.all.find(({ attempt }) => attempt === this.kept?.attempt);
  }

  private async follow(): Promise<void> {
    const { kept } = this;
    const status = this.status();
    if (!kept || !status) return;
    const before = new Set(kept.done);
    const done = doneSteps(
      {
        isStarted: status.state !== "open",
        hasError: hasError(status),
        hasVerdict: Boolean(status.verdict),
        hasFailed: status.verdict?.outcome === "failed",
        showedResults: this.showedResults,
        hints: this.hints.of(status.attempt).length,
        hasPassed: status.verdict?.outcome === "passed",
        isSubmitted: status.state === "submitted",
      },
      before,
    );
    if (done.size > before.size) await this.keep({ ...kept, done: [...done] });
  }

  private async skip(): Promise<void> {
    const { kept } = this;
    if (!kept) return;
    const { steps: all, now } = guidePage(new Set(kept.done));
    const step = all[now];
    if (step) await this.keep({ ...kept, done: [...kept.done, step.id] });
  }

  private async keep(kept: Kept): Promise<void> {
    await this.memory.update(MEMORY, kept);
    this.announce();
    this.post();
  }

  private announce(): void {
    void vscode.commands.executeCommand("setContext", "benchwright.guided", this.kept !== undefined && !this.kept.isLeft);
  }

  private post(): void {
    if (this.kept) this.host?.post({ page: guidePage(new Set(this.kept.done)) });
  }
}

function hasError(status: AttemptStatus): boolean {
  const folder = vscode.Uri.parse(status.workspace).path.replace(/\/?$/, "/");
  return vscode.languages
    .getDiagnostics()
    .some(([uri, found]) => uri.path.startsWith(folder) && found.some(({ severity }) => severity === vscode.DiagnosticSeverity.Error));
}
