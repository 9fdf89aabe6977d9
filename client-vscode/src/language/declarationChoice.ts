import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { projectPlace } from "./projectList.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";

/** Asks which file counts of those that declare a module. */
export async function chooseDeclaration(server: Server): Promise<boolean> {
  const uri = await projectPlace();
  if (uri === undefined) return false;
  const found = await shown(server.request("declarations", { uri }));
  if (!found) return false;
  if (found.modules.length === 0) {
    void vscode.window.showInformationMessage(t("No module that was needed so far is declared in several files."));
    return false;
  }
  const rows = found.modules.map((one) => ({ label: one.name, description: one.chosen || t("the nearest"), one }));
  const module = rows.length > 1 ? await vscode.window.showQuickPick(rows, { title: t("Which Module?") }) : rows[0];
  if (!module) return false;
  const { name, files, chosen } = module.one;
  const choices = [...files, ""].map((file) => ({
    label: file || t("The nearest"),
    file,
    ...(file === chosen ? { description: t("in use") } : {}),
  }));
  const choice = await vscode.window.showQuickPick(choices, { title: t("Which File Declares {0}?", name) });
  if (!choice) return false;
  return (await shown(server.request("useDeclaration", { uri, module: name, file: choice.file }))) !== undefined;
}
