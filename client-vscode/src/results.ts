import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";
import { resultsPage } from "./resultsPage.ts";
import { webviewHtml } from "./webviewHtml.ts";
import type { FromResults, ToResults } from "./webview/messages.ts";

/** The Results view: the newest verdict, exactly as far as the problem reveals it. */
export class ResultsView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly attempts: Attempts,
  ) {
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider("benchwright.results", this),
      attempts.onDidChangeCurrent(() => this.post()),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.html = webviewHtml(view.webview, this.extension, "results", "Benchwright results");
    view.webview.onDidReceiveMessage((message: FromResults) => {
      if (message.type === "ready") this.post();
      else void vscode.commands.executeCommand(`benchwright.ui.${message.command}`);
    });
    view.onDidDispose(() => (this.view = undefined));
    view.onDidChangeVisibility(() => this.post());
  }

  show(): void {
    void vscode.commands.executeCommand("benchwright.results.focus");
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private post(): void {
    const status = this.attempts.current;
    const message: ToResults = {
      type: "page",
      page: resultsPage(status, status && this.attempts.summary(status.attempt)),
    };
    void this.view?.webview.postMessage(message);
  }
}
