import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { FileRange } from "../generated/protocol.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { Layout } from "./schematicLayout.ts";
import { cursorInDesign, showRange } from "../language/sourceRange.ts";
import { WebviewHost } from "../webviewHost.ts";
import { widePlace } from "../widePlace.ts";

/** A place in a design, in the module that is asked about. */
export interface Asked {
  readonly uri: string;
  readonly position: { readonly line: number; readonly character: number };
}

/** What a page about a module posts. */
export interface FromModulePage {
  readonly type: "open";
  readonly at: FileRange;
}

/** What a page about a module receives. */
export type ToModulePage<Page> = { readonly type: "loading" } | { readonly type: "page"; readonly page: Page };

/** A page about the module at the cursor, shown again after each save. */
export abstract class ModulePanel<Page extends { readonly title: string }> implements Panel {
  protected readonly layout: Layout;
  private panel: vscode.WebviewPanel | undefined;
  private host: WebviewHost<ToModulePage<Page>, FromModulePage> | undefined;
  private asked: Asked | undefined;
  private number = 0;
  private readonly saved: vscode.Disposable;

  /**
   * @param page Name of the page's module in `src/webview/pages`.
   * @param title Of the tab, until it is that of the page.
   */
  constructor(
    protected readonly context: PanelContext,
    private readonly page: string,
    private readonly title: string,
  ) {
    this.layout = new Layout(vscode.Uri.joinPath(context.extension, "out", "layoutWorker.cjs").fsPath);
    this.saved = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (this.panel?.visible && /\.s?vh?$/.test(uri.path)) void this.load();
    });
  }

  async show(): Promise<void> {
    this.asked = cursorInDesign() ?? this.asked;
    if (!this.asked) {
      void vscode.window.showInformationMessage(t("Put the cursor in a module first."));
      return;
    }
    if (this.panel) {
      this.panel.reveal();
      await this.load();
      return;
    }
    const { page, title } = this;
    const options = { enableScripts: true, retainContextWhenHidden: true };
    this.panel = vscode.window.createWebviewPanel(`benchwright.${page}`, title, await widePlace(), options);
    this.panel.onDidDispose(() => {
      this.panel = this.host = undefined;
      this.layout.dispose();
    });
    this.host = new WebviewHost(this.panel.webview, { extension: this.context.extension, page, title }, (message) => {
      if (message.type === "ready") void this.load();
      else void showRange(message.at, vscode.ViewColumn.One);
    });
  }

  dispose(): void {
    this.saved.dispose();
    this.layout.dispose();
    this.panel?.dispose();
  }

  /** What the page shows; never throws. */
  protected abstract content(asked: Asked): Promise<Page>;

  private async load(): Promise<void> {
    const { asked } = this;
    if (!asked) return;
    const number = ++this.number;
    this.host?.post({ type: "loading" });
    const page = await this.content(asked);
    // A later request has overtaken this one.
    if (number !== this.number || !this.panel) return;
    this.panel.title = page.title;
    this.host?.post({ type: "page", page });
  }
}

/** Why a part of a page is missing. */
export interface Failure {
  readonly failure: string;
}

/** The answer to a request, or why there is none. */
export async function settled<T>(request: Promise<T>): Promise<T | Failure> {
  try {
    return await request;
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
