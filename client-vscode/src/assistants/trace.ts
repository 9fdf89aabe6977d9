import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { chosenAttempt } from "../attempts/attemptChoice.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { shown } from "../reporting.ts";
import { widePlace } from "../widePlace.ts";

/** Steps through recorded attempts: the page that `benchwright attempts trace` writes. */
export class TracePanels implements Panel {
  private readonly open = new Set<vscode.WebviewPanel>();

  constructor(private readonly context: PanelContext) {}

  async show(attempt?: string): Promise<void> {
    const chosen = attempt ?? (await shown(chosenAttempt(this.context, t("Step Through an Attempt"))));
    if (!chosen) return;
    const found = await shown(this.context.server.request("trace", { attempt: chosen }));
    if (!found) return;
    const panel = vscode.window.createWebviewPanel("benchwright.trace", t("Trace"), await widePlace(), {
      enableScripts: true,
      localResourceRoots: [],
      retainContextWhenHidden: true,
    });
    this.open.add(panel);
    panel.onDidDispose(() => this.open.delete(panel));
    // Its own policy lets nothing run but its one script, by the digest.
    panel.webview.html = found.page;
  }

  dispose(): void {
    for (const panel of this.open) panel.dispose();
  }
}
