import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "./attempts.ts";
import type { Server } from "./server.ts";

/** Reports to the server when the window gains or loses focus during an attempt. */
export function reportFocus(server: Server, attempts: Attempts): vscode.Disposable {
  let focused = vscode.window.state.focused;
  return vscode.window.onDidChangeWindowState((state) => {
    if (state.focused === focused) return;
    focused = state.focused;
    const status = attempts.current;
    if (status && isUnfinished(status)) void server.notify("focus", { uri: status.workspace, focused });
  });
}
