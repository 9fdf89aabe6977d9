import * as vscode from "vscode";
import type { Panel, PanelContext } from "../../src/panel.ts";
import { WebviewHost } from "../../src/webviewHost.ts";
import type { FromToy, ToToy } from "./pages/toy.ts";

/** The extension's side of the toy page. */
export class ToyPanel implements Panel {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly context: PanelContext) {}

  show(name = "world"): Promise<void> {
    this.panel = vscode.window.createWebviewPanel("benchwright.toy", "Toy", vscode.ViewColumn.One);
    const page = { extension: this.context.extension, page: "toy", title: "Toy" };
    const host = new WebviewHost<ToToy, FromToy>(this.panel.webview, page, ({ type }) => {
      if (type === "ready") host.post({ type: "greeting", text: `Hello, ${name}` });
      else void this.context.memory.update("thanked", true);
    });
    return Promise.resolve();
  }

  dispose(): void {
    this.panel?.dispose();
  }
}
