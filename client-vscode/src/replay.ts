import * as vscode from "vscode";
import type { Panel, PanelContext } from "./panel.ts";
import { errorText, shown } from "./reporting.ts";
import { WebviewHost } from "./webviewHost.ts";
import type { FromReplay, ToReplay } from "./webview/pages/replay.ts";

/** Plays recorded attempts back. */
export class ReplayPanels implements Panel {
  private readonly open = new Set<vscode.WebviewPanel>();

  constructor(private readonly context: PanelContext) {}

  async show(attempt?: string): Promise<void> {
    const chosen = attempt ?? (await shown(this.choose()));
    if (!chosen) return;
    const panel = vscode.window.createWebviewPanel("benchwright.replay", "Replay", vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    this.open.add(panel);
    panel.onDidDispose(() => this.open.delete(panel));
    const { extension, server } = this.context;
    const page = { extension, page: "replay", title: "Replay" };
    const host = new WebviewHost<ToReplay, FromReplay>(panel.webview, page, async (message) => {
      try {
        if (message.type === "ready") {
          host.post({ type: "replay", view: await server.request("replay", { attempt: chosen }) });
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

  private async choose(): Promise<string | undefined> {
    const items = await this.own();
    const other = { label: "$(edit) Another attempt, by its id…", description: "", attempt: "" };
    const chosen = await vscode.window.showQuickPick([...items, other], {
      title: "Replay an Attempt",
      placeHolder: "Choose one of your attempts",
      matchOnDescription: true,
    });
    if (chosen !== other) return chosen?.attempt;
    const typed = await vscode.window.showInputBox({
      title: "Replay an Attempt",
      prompt: "The attempt's id, or the beginning of it. The command benchwright attempts list shows them.",
    });
    return typed?.trim() || undefined;
  }

  /** The one that is open first, then the others, of studies too. */
  private async own(): Promise<{ label: string; description: string; attempt: string }[]> {
    const current = this.context.attempts.current;
    const { studies } = await this.context.server.request("studies", {});
    const groups = await Promise.all(
      [{}, ...studies.map(({ study }) => ({ study }))].map((params) => this.context.server.request("numbers", params)),
    );
    const others = groups.flatMap(({ attempts }) => attempts).filter(({ attempt }) => attempt !== current?.attempt);
    return [
      ...(current ? [{ label: current.title, description: `${current.problem}, open here, ${current.state}`, attempt: current.attempt }] : []),
      ...others.reverse().map(({ title, problem, state, attempt }) => {
        return { label: title, description: `${problem}, ${state.replace("_", " ")}`, attempt };
      }),
    ];
  }
}
