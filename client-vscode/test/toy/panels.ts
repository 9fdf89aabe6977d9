import type * as vscode from "vscode";
import { registerPanels, type PanelContext, type Panels } from "../../src/panel.ts";
import { ToyPanel } from "./toyPanel.ts";

export const PANELS: Panels = {
  toy: { title: "Show Toy", icon: "beaker", when: "editorLangId == toy", open: (context) => new ToyPanel(context) },
};

export function register(context: PanelContext): vscode.Disposable {
  return registerPanels(PANELS, context);
}
