import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { ProgressType } from "vscode-languageclient/node";
import type { Attempts } from "../attempts/attempts.ts";
import type { AttemptStatus, GeneratedPart } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import { newerRunNote } from "../text/standing.ts";
import { TextPage } from "../textPage.ts";

const PART = new ProgressType<GeneratedPart>();

/** A rule that a tool reported in a file. */
export interface FoundRule {
  readonly uri: string;
  readonly code: string;
  readonly source: string;
}

/** Shows what a finding means, as a page beside the code. */
export class Explanations implements vscode.Disposable {
  private readonly page: TextPage;
  private readonly following: vscode.Disposable;
  /** The run of the hidden tests that the page is about; undefined if it is about something else. */
  private ofRun: { readonly problem: string; readonly workspace: string; readonly run: number } | undefined;

  constructor(
    extension: vscode.Uri,
    private readonly server: Server,
    private readonly attempts: Attempts,
  ) {
    this.page = new TextPage(extension, vscode.ViewColumn.Two);
    this.following = attempts.onDidChange(({ before, now }) => {
      if (before === undefined) this.closeEarlier(now);
      this.noteNewerRun(now);
    });
  }

  async finding(rule: FoundRule): Promise<void> {
    const found = await shown(this.server.request("explainFinding", { ...rule }));
    if (found) this.show(found.code, found.markdown);
  }

  /** Explains what was found on the line of the cursor; lets the person choose among several. */
  async findingAtCursor(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return;
    const { uri } = editor.document;
    const here = vscode.languages
      .getDiagnostics(uri)
      .filter(({ range }) => range.start.line <= editor.selection.active.line && editor.selection.active.line <= range.end.line);
    const rules = here.flatMap((one) => {
      const code = typeof one.code === "object" ? one.code.value : one.code;
      return code === undefined ? [] : [{ label: String(code), description: one.source ?? "", detail: one.message }];
    });
    const chosen = rules.length > 1 ? await vscode.window.showQuickPick(rules, { title: t("Explain a Finding") }) : rules[0];
    if (chosen) await this.finding({ uri: uri.toString(), code: chosen.label, source: chosen.description });
    else if (rules.length === 0) {
      void vscode.window.showInformationMessage(t("No finding with a name is on this line. Put the cursor on a marked line."));
    }
  }

  /** Explains the newest failure of own tests, of one of them, or of the hidden tests. */
  async failure(item?: vscode.TestItem): Promise<void> {
    const uri = item ? folderOf(item) : this.here();
    if (uri === undefined) return;
    const test = item && isOwn(item) ? item.id.slice(item.id.indexOf("|") + 1) : null;
    await this.explain(uri, test, item !== undefined && test === null);
  }

  /** Explains the newest verdict of the hidden tests. */
  async verdict(): Promise<void> {
    const uri = this.attempts.current?.workspace;
    if (uri !== undefined) await this.explain(uri, null, true);
  }

  /** Asks the assistant's model; the server shows progress, by which it is cancelled. */
  async generated(about: "failure" | "hint"): Promise<void> {
    const uri = this.here();
    if (uri === undefined) return;
    const name = about === "hint" ? t("A hint by a model") : t("Why it may fail, by a model");
    let isShown = false;
    const write = ({ markdown }: GeneratedPart): void => {
      if (isShown) this.page.update({ markdown });
      else this.show(name, markdown);
      isShown = true;
    };
    const found = await shown(this.server.requestInParts("generatedHelp", { uri, about }, PART, write));
    if (found) write(found);
  }

  /** The active file, which may be of another problem than the current one; else the attempt that the person works on. */
  private here(): string | undefined {
    const active = vscode.window.activeTextEditor?.document.uri;
    if (active?.scheme === "file") return active.toString();
    return this.attempts.current?.workspace ?? vscode.workspace.workspaceFolders?.[0]?.uri.toString();
  }

  dispose(): void {
    vscode.Disposable.from(this.page, this.following).dispose();
  }

  private async explain(uri: string, test: string | null, hidden: boolean): Promise<void> {
    const found = await shown(this.server.request("explainFailure", { uri, test, hidden }));
    if (!found) return;
    this.show(t("Why it may fail"), found.markdown);
    const status = this.attempts.known(vscode.Uri.parse(uri));
    if (found.run === null || !status) return;
    this.ofRun = { problem: status.problem, workspace: status.workspace, run: found.run };
    this.noteNewerRun(status);
  }

  /** A page that stays open says so once its run is an older one. */
  private noteNewerRun({ workspace, view }: AttemptStatus): void {
    if (this.ofRun?.workspace === workspace) this.page.update({ note: newerRunNote(this.ofRun.run, view) });
  }

  /** Beside a new attempt, why an earlier one failed would look like the new one's. */
  private closeEarlier({ problem, workspace }: AttemptStatus): void {
    if (this.ofRun?.problem === problem && this.ofRun.workspace !== workspace) this.page.dispose();
  }

  private show(name: string, markdown: string): void {
    this.ofRun = undefined;
    this.page.show(name, markdown);
  }
}

/** Ids of own tests have their folder before a bar; those of hidden tests are a folder. */
function isOwn(item: vscode.TestItem): boolean {
  return item.id.includes("|");
}

function folderOf(item: vscode.TestItem): string {
  return isOwn(item) ? item.id.slice(0, item.id.indexOf("|")) : item.id;
}
