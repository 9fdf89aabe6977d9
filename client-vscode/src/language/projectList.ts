import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { ListView, ProjectListsView } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";

interface ListItem extends vscode.QuickPickItem {
  readonly list?: ListView;
}

/** Asks which file list of a folder to use, and which of its targets. */
export async function chooseProjectList(server: Server): Promise<boolean> {
  const uri = await projectPlace();
  if (uri === undefined) return false;
  const found = await shown(server.request("projectLists", { uri }));
  if (!found) return false;
  if (found.lists.length === 0) {
    void vscode.window.showInformationMessage(t("The folder has no file list, so its files are found by what they declare."));
    return false;
  }
  const list = found.bySettings ? undefined : await listOf(found);
  if (!found.bySettings && list === undefined) return false;
  const offered = found.bySettings ? found.lists : list?.list ? [list.list] : [];
  const target = await targetOf(found, offered);
  if (target === undefined) return false;
  return (await shown(server.request("useList", { uri, name: list?.list?.name ?? "", target }))) !== undefined;
}

/** A file of the project that somebody works on, or its folder. */
export async function projectPlace(): Promise<string | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document && vscode.workspace.getWorkspaceFolder(document.uri)) return document.uri.toString();
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) void vscode.window.showInformationMessage(t("Open the folder of a design first."));
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
  return folder?.uri.toString();
}

async function listOf({ lists, chosen }: ProjectListsView): Promise<ListItem | undefined> {
  const icon = (isChosen: boolean) => (isChosen ? "$(check) " : "");
  const items: ListItem[] = lists.map((list) => ({
    label: `${icon(list.name === chosen)}${list.name}`,
    ...(list.used ? { description: t("in use") } : {}),
    list,
  }));
  const none = {
    label: `${icon(chosen === "")}${t("Default")}`,
    description: t("the folder's only list, or none if it has several"),
  };
  return vscode.window.showQuickPick([...items, none], { title: t("Use Which File List?"), placeHolder: t("Name of a list") });
}

/** Undefined if nobody answered; empty for the default. */
async function targetOf(found: ProjectListsView, lists: readonly ListView[]): Promise<string | undefined> {
  const targets = [...new Set(lists.flatMap((list) => list.targets))].sort();
  if (found.targetBySettings || targets.length === 0) return "";
  const before = new Set(found.target.split(",").map((name) => name.trim()));
  if (lists.some((list) => list.several)) {
    const items = targets.map((label) => ({ label, picked: before.has(label) }));
    const title = t("Which Targets? None for the Default");
    const chosen = await vscode.window.showQuickPick(items, { canPickMany: true, title });
    return chosen?.map((item) => item.label).join(",");
  }
  const items = [{ label: t("Default"), target: "" }, ...targets.map((label) => ({ label, target: label }))].map((item) =>
    before.has(item.target) ? { ...item, description: t("in use") } : item,
  );
  return (await vscode.window.showQuickPick(items, { title: t("Which Target?") }))?.target;
}
