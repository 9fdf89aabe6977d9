import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "../attempts/attempts.ts";
import type { OpenedProblem, ProblemSummary } from "../generated/protocol.ts";
import { problemDescription, problemIcon } from "./problemLabel.ts";
import { nextProblem } from "./problemList.ts";
import { isEnded, type ProblemPages } from "./problemPages.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import type { Row } from "./tree.ts";

const PENDING = "benchwright.pendingOpen";

/** Opens problems: asks the server for a workspace and lays out the editors. */
export class Opening {
  constructor(
    private readonly server: Server,
    private readonly attempts: Attempts,
    private readonly memory: vscode.Memento,
    private readonly pages: ProblemPages,
  ) {}

  /** Opens a problem; one that the person has ended shows its page, from which another try begins. */
  async open(row: Row | undefined, fresh: boolean): Promise<void> {
    const problem = row && "problem" in row ? row.problem : await shown(this.pick());
    if (problem === undefined) return;
    if (!fresh && isEnded(problem)) {
      await this.pages.show({ problem });
      return;
    }
    const opened = await shown(this.server.request("open", { problem: problem.ref, fresh }));
    if (opened === undefined) return;
    if (fresh) await closeEarlier(opened);
    await this.show(opened);
  }

  /**
   * Opens the guided problem.
   *
   * @param remember Called with the attempt before its folder is opened, because that may restart the extension.
   */
  async openGuided(problem: string, remember: (attempt: string) => Promise<void>): Promise<void> {
    const opened = await shown(this.server.request("open", { problem, guided: true }));
    if (opened === undefined) return;
    await remember(opened.status.attempt);
    await this.show(opened);
  }

  /** Opens the next problem of a pack that was not passed yet; asks if there is none. */
  async openNext(ref: string | undefined): Promise<void> {
    const list = await shown(this.server.request("packs", {}));
    const next = list && nextProblem(list.packs, ref);
    await this.open(next && { problem: next }, false);
  }

  /** Shows an open problem, in a window of its folder. */
  async show(opened: OpenedProblem): Promise<void> {
    const workspace = vscode.Uri.parse(opened.status.workspace);
    if (vscode.workspace.getWorkspaceFolder(workspace)) {
      this.attempts.makeCurrent(opened.status);
      await layOut(opened);
    } else {
      // Opening a folder restarts the extension; `finishPending` continues.
      await this.memory.update(PENDING, opened);
      await vscode.commands.executeCommand("vscode.openFolder", workspace, { forceReuseWindow: true });
    }
  }

  /** Continues with a problem whose folder had to be opened first. */
  async finishPending(): Promise<void> {
    const opened = this.memory.get<OpenedProblem>(PENDING);
    if (!opened || !vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(opened.status.workspace))) return;
    await this.memory.update(PENDING, undefined);
    await layOut(opened);
    // Last, because a starting window shows its own view at first.
    await vscode.commands.executeCommand("workbench.view.extension.benchwright");
    await focusFirstColumn();
  }

  private async pick(): Promise<ProblemSummary | undefined> {
    const { packs } = await this.server.request("packs", {});
    const items = packs.flatMap((pack) => [
      { label: pack.title, kind: vscode.QuickPickItemKind.Separator },
      ...pack.problems.map(pickItem),
    ]);
    const chosen = await vscode.window.showQuickPick<PickItem>(items, {
      title: t("Open Problem"),
      placeHolder: t("Type part of a title, category or difficulty"),
      matchOnDescription: true,
    });
    return chosen?.problem;
  }
}

interface PickItem extends vscode.QuickPickItem {
  readonly problem?: ProblemSummary;
}

function pickItem(problem: ProblemSummary): PickItem {
  return {
    label: `$(${problemIcon(problem.state)}) ${problem.title}`,
    description: problemDescription(problem),
    problem,
  };
}

/** Closes what shows earlier attempts at a problem: their files, their statement, their waveforms. What is not saved is asked about. */
async function closeEarlier({ status, primary, statement }: OpenedProblem): Promise<void> {
  // An attempt's folder has the name of the problem, perhaps with a number.
  const folder = status.workspace.replace(/(-\d+)?\/*$/, "");
  const isOfProblem = (uri: string): boolean => uri.startsWith(folder) && /^(-\d+)?\//.test(uri.slice(folder.length));
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const earlier = tabs.filter(({ input }) => {
    const uri = input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri.toString() : "";
    return isOfProblem(uri) && uri !== primary && uri !== statement;
  });
  await vscode.window.tabGroups.close(earlier.filter(({ isDirty }) => !isDirty), true);
  await vscode.window.tabGroups.close(earlier.filter(({ isDirty }) => isDirty), true);
}

/** The file to edit in the first column, the statement's preview beside it. */
async function layOut(opened: OpenedProblem): Promise<void> {
  const beside = { viewColumn: vscode.ViewColumn.Two, preview: false, preserveFocus: true };
  await Promise.all([showPrimary(opened), openWith(opened.statement, "vscode.markdown.preview.editor", beside)]);
  // The preview's column became active, although the focus did not move.
  await focusFirstColumn();
}

/** Brings the file to edit to the front. */
export async function showPrimary(opened: OpenedProblem): Promise<void> {
  const editor = opened.status.kind !== "design" ? "benchwright.answer" : "default";
  await openWith(opened.primary, editor, { viewColumn: vscode.ViewColumn.One, preview: false });
}

async function focusFirstColumn(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.focusFirstEditorGroup");
}

async function openWith(uri: string, editor: string, options: vscode.TextDocumentShowOptions): Promise<void> {
  await vscode.commands.executeCommand("vscode.openWith", vscode.Uri.parse(uri), editor, options);
}
