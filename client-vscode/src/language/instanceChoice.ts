import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { InstanceList } from "../generated/protocol.ts";
import { parametersOf } from "./instanceLabel.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";

/** A module in a file. */
export interface ModulePlace {
  readonly uri: string;
  readonly module: string;
}

interface Choice extends vscode.QuickPickItem {
  readonly instance: string | null;
}

/** Asks as which of its instances to view a module: that of a code lens, or that around the cursor. */
export async function chooseInstance(server: Server, place: ModulePlace | undefined): Promise<void> {
  const { uri, module } = place ?? moduleAtCursor() ?? {};
  if (uri === undefined || module === undefined) {
    void vscode.window.showInformationMessage(t("Put the cursor in a module first."));
    return;
  }
  const found = await shown(server.request("instances", { uri, module }));
  if (!found) return;
  if (found.instances.length === 0) {
    void vscode.window.showInformationMessage(t("No file of this folder has an instance of {0}.", module));
    return;
  }
  const chosen = await vscode.window.showQuickPick(choices(found), {
    title: found.complete ? t("View {0} As", module) : t("View {0} As (the First {1} Instances)", module, found.instances.length),
    placeHolder: t("Path or parameters of an instance"),
    matchOnDescription: true,
  });
  if (chosen) await shown(server.request("viewAs", { uri, module, instance: chosen.instance }));
}

function choices({ chosen, instances }: InstanceList): Choice[] {
  const icon = (path: string | null) => (path === chosen ? "$(check) " : "");
  return [
    { label: `${icon(null)}${t("Default parameters")}`, instance: null },
    ...instances.map((one) => ({ label: `${icon(one.path)}${one.path}`, description: parametersOf(one), instance: one.path })),
  ];
}

function moduleAtCursor(): ModulePlace | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { document, selection } = editor;
  const before = document.getText(new vscode.Range(0, 0, selection.active.line + 1, 0));
  const module = [...before.matchAll(/^\s*(?:module|interface|program)\s+(?:automatic\s+|static\s+)?(\w+)/gm)].at(-1)?.[1];
  return module === undefined ? undefined : { uri: document.uri.toString(), module };
}
