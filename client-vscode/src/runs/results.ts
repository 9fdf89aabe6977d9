import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "../attempts/attempts.ts";
import type { Hints } from "../attempts/hints.ts";
import { resultsPage } from "./resultsPage.ts";
import { WebviewHost } from "../webviewHost.ts";
import type { FromResults, ToResults } from "../webview/pages/results.ts";

/** The Results view: the newest verdict, exactly as far as the problem reveals it. */
export class ResultsView implements vscode.WebviewViewProvider, vscode.Disposable {
  private host: WebviewHost<ToResults, FromResults> | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly attempts: Attempts,
    private readonly hints: Hints,
  ) {
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider("benchwright.results", this),
      attempts.onDidChangeCurrent(() => this.post()),
      hints.onDidChange(() => this.post()),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const page = { extension: this.extension, page: "results", title: t("Benchwright results") };
    this.host = new WebviewHost(view.webview, page, (message) => {
      if (message.type === "ready") this.post();
      else if (message.type === "open") void this.open(message.path, message.line);
      else void vscode.commands.executeCommand(`benchwright.ui.${message.command}`);
    });
    view.onDidDispose(() => (this.host = undefined));
    view.onDidChangeVisibility(() => this.post());
  }

  show(): void {
    void vscode.commands.executeCommand("benchwright.results.focus");
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Shows a line of a file of the workspace. */
  private async open(path: string, line: number): Promise<void> {
    const status = this.attempts.current;
    if (!status) return;
    const file = vscode.Uri.joinPath(vscode.Uri.parse(status.workspace), path);
    const selection = new vscode.Range(line - 1, 0, line - 1, 0);
    await vscode.window.showTextDocument(file, { viewColumn: vscode.ViewColumn.One, selection });
  }

  private post(): void {
    const status = this.attempts.current;
    const summary = status && this.attempts.summary(status.attempt);
    this.host?.post({ type: "page", page: resultsPage(status, summary, status && this.hints.of(status.attempt)) });
  }
}
