import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { StudyFileCheck } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import { widePlace } from "../widePlace.ts";

/** What the organisers of a study do in the editor: its file, a first participant, its report. */
export class Organising implements vscode.Disposable {
  private readonly flaws = vscode.languages.createDiagnosticCollection();
  private readonly reports = new Set<vscode.WebviewPanel>();

  constructor(private readonly server: Server) {}

  /** Writes a study file into a new folder, and opens it. */
  async begin(): Promise<void> {
    const folder = await chosenFolder(t("New Study"), t("Name of a folder for the study"), "my-study");
    const made = folder && (await shown(this.server.request("newStudy", { folder: folder.toString() })));
    if (!made) return;
    await vscode.window.showTextDocument(vscode.Uri.parse(made.uri), { preview: false });
    const check = t("Check the Study");
    const chosen = await vscode.window.showInformationMessage(t("Write your own words into the file, then check it."), check);
    if (chosen === check) await this.check();
  }

  /** Checks the study file that is in front; its flaws become problems of the file. */
  async check(): Promise<void> {
    const file = await studyFile();
    const found = file && (await shown(this.server.request("checkStudy", { uri: file.toString() })));
    if (!found || !this.show(file, found)) return;
    const begin = t("Let a Participant Begin…");
    const chosen = await vscode.window.showInformationMessage(t("The study can be used."), { modal: true, detail: found.text }, begin);
    if (chosen === begin) await this.letBegin();
  }

  /** Registers the study that is in front, and lets somebody take part on this machine. */
  async letBegin(): Promise<void> {
    const file = await studyFile();
    if (!file) return;
    const participant = await vscode.window.showInputBox({
      title: t("Let a Participant Begin"),
      prompt: t("Pseudonym of who works on this machine; from here on the rules of the study are fixed"),
      value: "P01",
    });
    const begun = participant && (await shown(this.server.request("beginStudy", { uri: file.toString(), participant })));
    if (!begun || !this.show(file, begun)) return;
    await vscode.commands.executeCommand("benchwright.ui.refresh");
    void vscode.window.showInformationMessage(begun.text);
  }

  /** Writes the report on a study, or on what was done outside studies, and shows it. */
  async report(): Promise<void> {
    const known = await shown(this.server.request("organisedStudies", {}));
    if (!known) return;
    const outside = { label: t("Attempts outside studies"), study: "" };
    const rows = [...known.studies.map((study) => ({ label: study, study })), outside];
    const chosen = rows.length === 1 ? outside : await vscode.window.showQuickPick(rows, { title: t("Write a Report") });
    if (!chosen) return;
    const folder = await chosenFolder(t("Write a Report"), t("Name of a folder for the report"), `${chosen.study || "my"}-report`);
    const written = folder && (await shown(this.server.request("writeReport", { study: chosen.study, folder: folder.toString() })));
    if (!written) return;
    const options = { enableScripts: true, enableFindWidget: true, localResourceRoots: [], retainContextWhenHidden: true };
    const panel = vscode.window.createWebviewPanel("benchwright.report", t("Report"), await widePlace(), options);
    this.reports.add(panel);
    panel.onDidDispose(() => this.reports.delete(panel));
    // Its own policy lets nothing run but its one script, by the digest.
    panel.webview.html = written.page;
  }

  dispose(): void {
    vscode.Disposable.from(this.flaws, ...this.reports).dispose();
  }

  /** Marks what is wrong with a file; whether it can be used. */
  private show(file: vscode.Uri, { flaws }: StudyFileCheck): boolean {
    const found = flaws.map(({ line, message }) => new vscode.Diagnostic(new vscode.Range(line, 0, line, 1000), message));
    this.flaws.set(file, found);
    if (found.length > 0) void vscode.commands.executeCommand("workbench.actions.view.problems");
    return found.length === 0;
  }
}

/** A folder of a name that the person gives, in the folder that is open. */
async function chosenFolder(title: string, prompt: string, value: string): Promise<vscode.Uri | undefined> {
  const [opened] = vscode.workspace.workspaceFolders ?? [];
  if (!opened) {
    void vscode.window.showInformationMessage(t("Open a folder first."));
    return undefined;
  }
  const name = await vscode.window.showInputBox({ title, prompt, value });
  return name ? vscode.Uri.joinPath(opened.uri, name) : undefined;
}

/** The file in front, saved, if it can be a study file. */
async function studyFile(): Promise<vscode.Uri | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || !/\.ya?ml$/.test(document.uri.path)) {
    void vscode.window.showInformationMessage(t("Open the study file first, such as study.yaml."));
    return undefined;
  }
  await document.save();
  return document.uri;
}
