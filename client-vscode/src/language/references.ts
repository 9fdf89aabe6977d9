import * as vscode from "vscode";
import type { Location, Position } from "vscode-languageclient";
import { SHOW_REFERENCES } from "../server/languageClient.ts";

/** Lists the locations of a code lens, as the editor lists references. */
export function registerReferences(): vscode.Disposable {
  return vscode.commands.registerCommand(SHOW_REFERENCES, (file: string, position: Position, found: Location[]) =>
    vscode.commands.executeCommand(
      "editor.action.showReferences",
      vscode.Uri.parse(file),
      positionOf(position),
      found.map(({ uri, range }) => new vscode.Location(vscode.Uri.parse(uri), rangeOf(range))),
    ),
  );
}

function rangeOf({ start, end }: Location["range"]): vscode.Range {
  return new vscode.Range(positionOf(start), positionOf(end));
}

function positionOf({ line, character }: Position): vscode.Position {
  return new vscode.Position(line, character);
}
