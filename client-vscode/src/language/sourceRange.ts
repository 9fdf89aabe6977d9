import * as vscode from "vscode";
import type { FileRange } from "../generated/protocol.ts";

/** Shows a place of a file, beside a page if one is in front. */
export async function showRange(place: FileRange | null, viewColumn?: vscode.ViewColumn): Promise<void> {
  if (!place) return;
  const { start, end } = place;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  const options = viewColumn === undefined ? { selection } : { selection, viewColumn };
  await vscode.window.showTextDocument(vscode.Uri.parse(place.uri), options);
}

/** What a request about the cursor needs; undefined where no design is in front. */
export function cursorInDesign(): { uri: string; position: { line: number; character: number } } | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== "file" || !/\.s?vh?$/.test(editor.document.uri.path)) return undefined;
  const { line, character } = editor.selection.active;
  return { uri: editor.document.uri.toString(), position: { line, character } };
}
