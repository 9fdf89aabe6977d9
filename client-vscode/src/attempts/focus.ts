import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "./attempts.ts";
import type { Server } from "../server/server.ts";

/** Reports to the server when the window gains or loses focus during an attempt. */
export function reportFocus(server: Server, attempts: Attempts): vscode.Disposable {
  let focused = vscode.window.state.focused;
  let told: string | undefined;
  const tell = (): void => {
    const status = attempts.current;
    if (status && isUnfinished(status)) void server.notify("focus", { uri: status.workspace, focused });
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeWindowState((state) => {
      if (state.focused === focused) return;
      focused = state.focused;
      tell();
    }),
    // Whoever opens an attempt from elsewhere begins without focus.
    attempts.onDidChangeCurrent(() => {
      const attempt = attempts.current?.attempt;
      if (attempt === told) return;
      told = attempt;
      if (!focused) tell();
    }),
  );
}
