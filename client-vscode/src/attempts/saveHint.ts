import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";

/** Says, once per attempt and state, that nothing is scored while the clock does not run, with a button that starts it. */
export function hintOnSave(attempts: Attempts): vscode.Disposable {
  const hinted = new Set<string>();
  return vscode.workspace.onDidSaveTextDocument(async (document) => {
    const status = await attempts.of(document.uri);
    if (status?.state !== "open" && status?.state !== "paused") return;
    const occasion = `${status.attempt} ${status.state}`;
    if (hinted.has(occasion)) return;
    hinted.add(occasion);
    const [message, button, command] =
      status.state === "open"
        ? ([t("Saved, but nothing is scored until the clock starts."), t("Start the Clock"), "start"] as const)
        : ([t("Saved, but nothing is scored until the clock is resumed."), t("Resume the Clock"), "resume"] as const);
    const chosen = await vscode.window.showInformationMessage(message, button);
    // It may have been started in the status bar meanwhile.
    if (chosen !== button || attempts.known(document.uri)?.state !== status.state) return;
    await attempts.follow(document.uri);
    await vscode.commands.executeCommand(`benchwright.ui.${command}`);
  });
}
