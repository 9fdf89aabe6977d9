import * as vscode from "vscode";
import type { DesignSize, RegisterTable } from "./generated/protocol.ts";
import type { Panel, PanelContext } from "./panel.ts";
import { drawing, layoutGraph } from "./schematicGraph.ts";
import { Layout } from "./schematicLayout.ts";
import { cursorInDesign, showRange } from "./sourceRange.ts";
import { WebviewHost } from "./webviewHost.ts";
import type { FromSchematic, SchematicPage, ToSchematic } from "./webview/pages/schematic.ts";

interface Asked {
  readonly uri: string;
  readonly position: { readonly line: number; readonly character: number };
}

/** The schematic of the module at the cursor, with its size and registers; shown again after each save. */
export class SchematicPanel implements Panel {
  private panel: vscode.WebviewPanel | undefined;
  private host: WebviewHost<ToSchematic, FromSchematic> | undefined;
  private asked: Asked | undefined;
  private number = 0;
  private readonly saved: vscode.Disposable;
  private readonly layout: Layout;

  constructor(private readonly context: PanelContext) {
    this.layout = new Layout(vscode.Uri.joinPath(context.extension, "out", "layoutWorker.cjs").fsPath);
    this.saved = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (this.panel?.visible && /\.s?vh?$/.test(uri.path)) void this.load();
    });
  }

  async show(): Promise<void> {
    this.asked = cursorInDesign() ?? this.asked;
    if (!this.asked) {
      void vscode.window.showInformationMessage("Put the cursor in a module first.");
      return;
    }
    if (this.panel) {
      this.panel.reveal();
      await this.load();
      return;
    }
    const { Beside } = vscode.ViewColumn;
    const options = { enableScripts: true, retainContextWhenHidden: true };
    this.panel = vscode.window.createWebviewPanel("benchwright.schematic", "Schematic", Beside, options);
    this.panel.onDidDispose(() => {
      this.panel = this.host = undefined;
      this.layout.dispose();
    });
    const page = { extension: this.context.extension, page: "schematic", title: "Schematic" };
    this.host = new WebviewHost(this.panel.webview, page, (message) => {
      if (message.type === "ready") void this.load();
      else void showRange(message.at, vscode.ViewColumn.One);
    });
  }

  dispose(): void {
    this.saved.dispose();
    this.layout.dispose();
    this.panel?.dispose();
  }

  private async load(): Promise<void> {
    const { asked, context } = this;
    if (!asked) return;
    const number = ++this.number;
    this.host?.post({ type: "loading" });
    const [drawn, size, registers] = await Promise.all([
      this.drawn(asked),
      settled<DesignSize>(context.server.request("designSize", asked)),
      settled<RegisterTable>(context.server.request("registers", asked)),
    ]);
    // A later request has overtaken this one.
    if (number !== this.number || !this.panel) return;
    const title = "view" in drawn ? drawn.view.module : "Schematic";
    this.panel.title = title;
    this.host?.post({ type: "page", page: { title, drawn, size, registers } });
  }

  private async drawn(asked: Asked): Promise<SchematicPage["drawn"]> {
    try {
      this.layout.start();
      const view = await this.context.server.request("schematic", asked);
      return { view, drawing: drawing(view, await this.layout.laidOut(layoutGraph(view))) };
    } catch (error) {
      return { failure: sentence(error) };
    }
  }
}

async function settled<T>(request: Promise<T>): Promise<T | { failure: string }> {
  try {
    return await request;
  } catch (error) {
    return { failure: sentence(error) };
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
