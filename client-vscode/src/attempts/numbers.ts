import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Panel, PanelContext } from "../panel.ts";
import type { NumbersGroup } from "./progress.ts";
import { shown } from "../reporting.ts";
import { WebviewHost } from "../webviewHost.ts";
import type { ToNumbers } from "../webview/pages/numbers.ts";
import { widePlace } from "../widePlace.ts";

/** A person's own progress: times and results, and those of others where a study allows it. */
export class NumbersPanel implements Panel {
  private panel: vscode.WebviewPanel | undefined;
  private host: WebviewHost<ToNumbers, never> | undefined;

  constructor(private readonly context: PanelContext) {}

  async show(): Promise<void> {
    if (this.panel) {
      this.panel.reveal();
      await this.load();
      return;
    }
    const options = { enableScripts: true, retainContextWhenHidden: true };
    this.panel = vscode.window.createWebviewPanel("benchwright.numbers", t("My Numbers"), await widePlace(), options);
    this.panel.onDidDispose(() => (this.panel = this.host = undefined));
    const page = { extension: this.context.extension, page: "numbers", title: t("My Numbers") };
    this.host = new WebviewHost(this.panel.webview, page, () => void this.load());
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private async load(): Promise<void> {
    const groups = await shown(this.groups());
    if (groups) this.host?.post({ groups });
  }

  private async groups(): Promise<NumbersGroup[]> {
    const { server } = this.context;
    const { studies } = await server.request("studies", {});
    const ofStudies = studies.map(async ({ study, title }): Promise<NumbersGroup> => {
      return { heading: title, attempts: (await server.request("numbers", { study })).attempts };
    });
    const outside = { heading: t("Outside studies"), attempts: (await server.request("numbers", {})).attempts };
    return [...(await Promise.all(ofStudies)), outside];
  }
}
