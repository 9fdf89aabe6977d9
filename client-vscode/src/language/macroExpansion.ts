import * as vscode from "vscode";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";

/** Opens the active file with its macros expanded beside it. */
export async function showExpandedFile(server: Server): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) return;
  const found = await shown(server.request("expandMacro", { uri: document.uri.toString() }));
  if (found) await vscode.window.showTextDocument(vscode.Uri.parse(found.uri), { viewColumn: vscode.ViewColumn.Beside });
}
