import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { chosenAttempt } from "./attemptChoice.ts";
import type { AttemptStatus } from "../generated/protocol.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { newestRun } from "./replayText.ts";
import { errorText, shown } from "../reporting.ts";
import { newerRunNote } from "../text/standing.ts";
import { WebviewHost } from "../webviewHost.ts";
import type { FromReplay, ToReplay } from "../webview/pages/replay.ts";
import { widePlace } from "../widePlace.ts";

/** Plays recorded attempts back. */
export class ReplayPanels implements Panel {
  private readonly open = new Set<vscode.WebviewPanel>();

  constructor(private readonly context: PanelContext) {}

  async show(attempt?: string): Promise<void> {
    const chosen = attempt ?? (await shown(chosenAttempt(this.context, t("Replay an Attempt"))));
    if (!chosen) return;
    const panel = vscode.window.createWebviewPanel("benchwright.replay", t("Replay"), await widePlace(), {
      retainContextWhenHidden: true,
    });
    this.open.add(panel);
    panel.onDidDispose(() => this.open.delete(panel));
    const { extension, server, attempts } = this.context;
    let shownRun: number | undefined;
    // The timeline is that of the moment at which it was asked for.
    const note = (status: AttemptStatus | undefined): void => {
      if (status && shownRun !== undefined) host.post({ type: "note", text: newerRunNote(shownRun, status.view) });
    };
    const following = attempts.onDidChange(({ now }) => {
      if (now.attempt.startsWith(chosen)) note(now);
    });
    panel.onDidDispose(() => {
      following.dispose();
    });
    const page = { extension, page: "replay", title: t("Replay") };
    const host = new WebviewHost<ToReplay, FromReplay>(panel.webview, page, async (message) => {
      try {
        if (message.type === "ready") {
          const view = await server.request("replay", { attempt: chosen });
          host.post({ type: "replay", view });
          shownRun = newestRun(view);
          note(attempts.all.find(({ attempt }) => attempt === view.attempt));
        } else {
          host.post({ type: "files", files: await server.request("replayAt", { attempt: chosen, seq: message.seq }) });
        }
      } catch (error) {
        host.post({ type: "failed", reason: errorText(error) });
      }
    });
  }

  dispose(): void {
    for (const panel of this.open) panel.dispose();
  }
}
