import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "../attempts/attempts.ts";
import type { Server } from "./server.ts";

/** Commands of the editor that insert text nobody typed, by the name of ours that runs first. */
const WATCHED: Readonly<Record<string, string>> = {
  paste: "editor.action.clipboardPasteAction",
  acceptInline: "editor.action.inlineSuggest.commit",
  acceptInlineWord: "editor.action.inlineSuggest.acceptNextWord",
  acceptInlineLine: "editor.action.inlineSuggest.acceptNextLine",
};

/** Reports such a command to the server just before it runs; our key bindings lead here while an attempt is recorded. */
export function watchCommands(server: Server, attempts: Attempts): vscode.Disposable {
  const watched = Object.entries(WATCHED).map(([name, command]) =>
    vscode.commands.registerCommand(`benchwright.watched.${name}`, async () => {
      await report(server, attempts, command).catch(() => undefined);
      await vscode.commands.executeCommand(command);
    }),
  );
  const context = attempts.onDidChangeCurrent(() => {
    const status = attempts.current;
    const isRecorded = status !== undefined && isUnfinished(status);
    void vscode.commands.executeCommand("setContext", "benchwright.isRecorded", isRecorded);
  });
  return vscode.Disposable.from(...watched, context);
}

async function report(server: Server, attempts: Attempts, command: string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const status = document && attempts.known(document.uri);
  if (!document || !status || !isUnfinished(status)) return;
  const { uri, version } = document;
  const length = command === WATCHED.paste ? { length: Array.from(await vscode.env.clipboard.readText()).length } : {};
  await server.notify("commandUsed", { uri: uri.toString(), command, version, ...length });
}
