import * as vscode from "vscode";
import { WebviewHost } from "./webviewHost.ts";
import type { FromText, ToText } from "./webview/pages/text.ts";

/** A tab with Markdown of ours, whose links open files and pages of the web. */
export class TextPage implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private host: WebviewHost<ToText, FromText> | undefined;
  private text: ToText = { markdown: "", note: "" };

  constructor(
    private readonly extension: vscode.Uri,
    private readonly column: vscode.ViewColumn,
  ) {}

  /** Shows Markdown in the tab, which is opened if it is not there. */
  show(title: string, markdown: string): void {
    this.text = { markdown, note: "" };
    if (this.panel) {
      this.panel.title = title;
      this.panel.reveal(undefined, true);
      this.post();
      return;
    }
    const options = { enableScripts: true, enableFindWidget: true };
    const place = { viewColumn: this.column, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel("benchwright.text", title, place, options);
    this.panel.onDidDispose(() => (this.panel = this.host = undefined));
    this.host = new WebviewHost(this.panel.webview, { extension: this.extension, page: "text", title }, (message) => {
      if (message.type === "ready") this.post();
      else void follow(message.address);
    });
  }

  /** Changes what is shown, if it still is. */
  update(change: Partial<ToText>): void {
    this.text = { ...this.text, ...change };
    this.post();
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private post(): void {
    this.host?.post(this.text);
  }
}

/** Opens what a link leads to: a line of a file in the workspace, or a page of the web once the person agrees. */
async function follow(address: string): Promise<void> {
  const uri = vscode.Uri.parse(address);
  if (uri.scheme === "https" || uri.scheme === "http") {
    await vscode.env.openExternal(uri);
    return;
  }
  if (uri.scheme !== "file" || !vscode.workspace.getWorkspaceFolder(uri)) return;
  const line = Number(/^L(\d+)$/.exec(uri.fragment)?.[1] ?? 1) - 1;
  const selection = new vscode.Range(line, 0, line, 0);
  await vscode.window.showTextDocument(uri.with({ fragment: "" }), { viewColumn: vscode.ViewColumn.One, selection });
}
