import { basename, dirname } from "node:path";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { PROBLEM_FORMS, proofText, refusedName } from "./authoringText.ts";
import type { ProblemProof } from "../generated/protocol.ts";
import { answeredBy } from "./questionFormats.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";

/** Files of any kind, such as tests in Python, are a part of a problem. */
const OF_A_PROBLEM = /\/(hidden|public|figures)\//;
const PACK_FILE = "pack.toml";
const MOST_PACKS = 50;
const LICENSE = "CC-BY-4.0";

/** For those who write problems: a new one, its proof, and what a solver sees of it. */
export class Authoring implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("proof", vscode.StatusBarAlignment.Left, 99);
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.item.name = t("Benchwright Proof");
    this.item.command = "workbench.actions.view.problems";
    this.subscriptions = [
      server.onDidProve((proof) => this.draw(proof)),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (OF_A_PROBLEM.test(document.uri.path)) server.wrote(document.uri);
      }),
      server.onDidChangeState((state) => state !== "ready" && this.item.hide()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(this.item, ...this.subscriptions).dispose();
  }

  /** Asks what to begin, makes it, and shows its statement. */
  async begin(): Promise<void> {
    const pack = await choosePack();
    if (!pack) return;
    const id = await vscode.window.showInputBox({
      title: t("New Problem"),
      prompt: t("Name of the problem, such as round-robin-arbiter"),
      validateInput: refusedName,
    });
    if (!id) return;
    const form = await vscode.window.showQuickPick(PROBLEM_FORMS, {
      title: t("New Problem"),
      placeHolder: t("What the problem begins as"),
    });
    if (!form) return;
    const license = pack.isNew
      ? await vscode.window.showInputBox({ title: t("New Problem"), prompt: t("License of the pack, as SPDX calls it"), value: LICENSE })
      : LICENSE;
    if (!license) return;
    const folder = pack.uri.toString();
    const made = await shown(this.server.request("newProblem", { folder, id, form: form.form, license }));
    if (!made) return;
    if (answeredBy(form.form)) await vscode.commands.executeCommand("benchwright.ui.questionForm", made.uri);
    else await vscode.window.showTextDocument(vscode.Uri.parse(made.statement));
    if (vscode.workspace.getWorkspaceFolder(pack.uri)) return;
    const open = t("Open Folder");
    const chosen = await vscode.window.showInformationMessage(t("The pack is in {0}.", pack.uri.fsPath), open);
    if (chosen === open) await vscode.commands.executeCommand("vscode.openFolder", pack.uri);
  }

  /** Proves the problem that the active file belongs to. */
  async prove(): Promise<void> {
    const uri = await activeFile();
    const proof = uri && (await shown(this.server.request("proveProblem", { uri: uri.toString() })));
    if (!proof) return;
    this.draw(proof);
    if (proof.proof === "proved") {
      void vscode.window.showInformationMessage(proofText(proof));
      return;
    }
    const show = t("Show Problems");
    const chosen = await vscode.window.showWarningMessage(proofText(proof), show);
    if (chosen === show) await vscode.commands.executeCommand("workbench.actions.view.problems");
  }

  /** Shows the statement of the problem that the active file belongs to as its solvers see it. */
  async preview(): Promise<void> {
    const uri = await activeFile();
    const made = uri && (await shown(this.server.request("previewProblem", { uri: uri.toString() })));
    if (made) await vscode.commands.executeCommand("markdown.showPreviewToSide", vscode.Uri.parse(made.statement));
  }

  private draw(proof: ProblemProof): void {
    const icon = proof.proof === "proved" ? "pass" : proof.proof === "wrong" ? "error" : "question";
    const sentence = proofText(proof);
    this.item.text = `$(${icon}) ${proof.problem}`;
    this.item.tooltip = t("{0}\nSelect to see the problems.", sentence);
    this.item.accessibilityInformation = { label: t("Benchwright: {0}", sentence), role: "button" };
    this.item.show();
  }
}

interface ChosenPack {
  readonly uri: vscode.Uri;
  readonly isNew: boolean;
}

/** The folder of a pack in the open folders, or that of a new one. */
async function choosePack(): Promise<ChosenPack | undefined> {
  const files = await vscode.workspace.findFiles(`**/${PACK_FILE}`, "**/node_modules/**", MOST_PACKS);
  const packs = files.map((file) => vscode.Uri.file(dirname(file.fsPath)));
  if (packs.length === 0) return newPack();
  const items = packs.map((uri) => ({
    label: basename(uri.fsPath),
    description: vscode.workspace.asRelativePath(uri),
    uri,
  }));
  const another = { label: t("New Pack…"), description: "", uri: undefined };
  const chosen = await vscode.window.showQuickPick([...items, another], {
    title: t("New Problem"),
    placeHolder: t("The pack of the problem"),
  });
  if (!chosen) return undefined;
  return chosen.uri ? { uri: chosen.uri, isNew: false } : newPack();
}

async function newPack(): Promise<ChosenPack | undefined> {
  const name = await vscode.window.showInputBox({
    title: t("New Pack"),
    prompt: t("Name of the pack's folder"),
    value: "my-pack",
    validateInput: refusedName,
  });
  if (!name) return undefined;
  const [open] = vscode.workspace.workspaceFolders ?? [];
  const parent = open?.uri ?? (await chooseFolder());
  return parent && { uri: vscode.Uri.joinPath(parent, name), isNew: true };
}

async function chooseFolder(): Promise<vscode.Uri | undefined> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      title: t("Folder for the new pack"),
      openLabel: t("Create Pack Here"),
    })) ?? [];
  return folder;
}

/** The active file, saved, since what is on the disk is proved and shown. */
export async function activeFile(): Promise<vscode.Uri | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) {
    void vscode.window.showInformationMessage(t("Open a file of the problem first, such as its problem.toml."));
    return undefined;
  }
  if (document.isDirty) await document.save();
  return document.uri;
}
