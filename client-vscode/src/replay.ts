import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";
import { errorText, shown } from "./reporting.ts";
import type { Server } from "./server.ts";
import { webviewHtml } from "./webviewHtml.ts";
import type { FromReplay, ToReplay } from "./webview/messages.ts";

/** Shows attempts again as they were recorded, moment by moment. */
export class ReplayViews {
  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    private readonly attempts: Attempts,
  ) {}

  async show(attempt?: string): Promise<void> {
    const chosen = attempt ?? (await shown(this.choose()));
    if (!chosen) return;
    const panel = vscode.window.createWebviewPanel("benchwright.replay", "Replay", vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    const send = (message: ToReplay): void => void panel.webview.postMessage(message);
    panel.webview.onDidReceiveMessage(async (message: FromReplay) => {
      try {
        if (message.type === "ready") {
          send({ type: "replay", view: await this.server.request("replay", { attempt: chosen }) });
        } else {
          const files = await this.server.request("replayAt", { attempt: chosen, seq: message.seq });
          send({ type: "files", files });
        }
      } catch (error) {
        send({ type: "failed", reason: errorText(error) });
      }
    });
    panel.webview.html = webviewHtml(panel.webview, this.extension, "replay", "Replay");
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
    const current = this.attempts.current;
    const { studies } = await this.server.request("studies", {});
    const groups = await Promise.all(
      [{}, ...studies.map(({ study }) => ({ study }))].map((params) => this.server.request("numbers", params)),
    );
    const others = groups.flatMap(({ attempts }) => attempts).filter(({ attempt }) => attempt !== current?.attempt);
    return [
      ...(current ? [{ label: current.title, description: `open here, ${current.state}`, attempt: current.attempt }] : []),
      ...others.reverse().map(({ title, problem, state, attempt }) => {
        return { label: title, description: `${problem}, ${state.replace("_", " ")}`, attempt };
      }),
    ];
  }
}
