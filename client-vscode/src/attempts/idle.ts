import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "./attempts.ts";
import { InactivityTimer } from "./inactivity.ts";
import type { Server } from "../server/server.ts";

const IDLE_AFTER_MS = 60_000;

/** Reports to the server when nothing was typed, selected or scrolled for a minute of an attempt, and when that ends. */
export function reportIdle(server: Server, attempts: Attempts): vscode.Disposable {
  const timer = new InactivityTimer(IDLE_AFTER_MS, (idle, afterS) => {
    const status = attempts.current;
    if (status && isUnfinished(status)) void server.notify("idle", { uri: status.workspace, idle, afterS });
  });
  const activity = (): void => timer.activity();
  return vscode.Disposable.from(
    timer,
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      // What a program writes to an output channel is nobody's activity.
      if (document.uri.scheme === "file") activity();
    }),
    vscode.window.onDidChangeTextEditorSelection(activity),
    vscode.window.onDidChangeTextEditorVisibleRanges(activity),
    vscode.window.onDidChangeActiveTextEditor(activity),
    vscode.window.onDidChangeWindowState(activity),
    vscode.window.tabGroups.onDidChangeTabs(activity),
  );
}
