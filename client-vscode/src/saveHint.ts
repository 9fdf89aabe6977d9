import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";

/** Shows, once per attempt and state, that a save runs no hidden tests while the clock is stopped. */
export function hintOnSave(attempts: Attempts): vscode.Disposable {
  const hinted = new Set<string>();
  return vscode.workspace.onDidSaveTextDocument(async (document) => {
    const status = await attempts.of(document.uri);
    if (status?.state !== "open" && status?.state !== "paused") return;
    const occasion = `${status.attempt} ${status.state}`;
    if (hinted.has(occasion)) return;
    hinted.add(occasion);
    const saved = status.kind !== "design" ? "Saved, but not scored" : "Saved and linted, but not tested";
    const [why, next] =
      status.state === "open" ? ["has not started", "Start the Clock"] : ["is paused", "Resume the Clock"];
    // Without a button, because a message with one stays on the screen after the clock has started.
    void vscode.window.showInformationMessage(
      `${saved}: the clock ${why}. Select it in the status bar, or run the command Benchwright: ${next}.`,
    );
  });
}
