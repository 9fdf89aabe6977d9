import * as vscode from "vscode";
import type { Attempts } from "./attempts/attempts.ts";
import type { Server } from "./server/server.ts";

/** What the extension's side of a panel can use. */
export interface PanelContext {
  /** Folder of the extension. */
  readonly extension: vscode.Uri;
  readonly server: Server;
  readonly attempts: Attempts;
  /** What is kept between sessions of the editor. */
  readonly memory: vscode.Memento;
}

/** The extension's side of a page that a command opens. */
export interface Panel {
  /** @param argument What the command was called with, if anything. */
  show(argument?: string): Promise<void>;
  dispose(): void;
}

/** A command that opens a panel. */
export interface PanelCommand {
  /** English; translations are in package.nls.LANGUAGE.json. */
  readonly title: string;
  readonly icon?: string;
  /** The clause under which the command palette offers it; always without one. */
  readonly when?: string;
  readonly open: (context: PanelContext) => Panel;
}

/** Each panel by the name of its command: `benchwright.ui.NAME`. */
export type Panels = Readonly<Record<string, PanelCommand>>;

/** Registers the commands that open the panels. */
export function registerPanels(panels: Panels, context: PanelContext): vscode.Disposable {
  const registered = Object.entries(panels).flatMap(([name, { open }]) => {
    const panel = open(context);
    return [
      vscode.commands.registerCommand(`benchwright.ui.${name}`, (argument?: string) => panel.show(argument)),
      new vscode.Disposable(() => panel.dispose()),
    ];
  });
  return vscode.Disposable.from(...registered);
}
