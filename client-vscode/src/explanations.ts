import * as vscode from "vscode";
import { shown } from "./reporting.ts";
import type { Server } from "./server.ts";

const SCHEME = "benchwright-explanation";

/** A rule that a tool reported in a file. */
export interface FoundRule {
  readonly uri: string;
  readonly code: string;
  readonly source: string;
}

/** Shows what a finding means, as a page beside the code. */
export class Explanations implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private readonly texts = new Map<string, string>();
  private pages = 0;

  constructor(private readonly server: Server) {}

  provideTextDocumentContent(page: vscode.Uri): string {
    return this.texts.get(page.query) ?? "This page is no longer there. Ask for it again.";
  }

  async finding(rule: FoundRule): Promise<void> {
    const found = await shown(this.server.request("explainFinding", { ...rule }));
    if (found) await this.show(found.code, found.markdown);
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
    const chosen = rules.length > 1 ? await vscode.window.showQuickPick(rules, { title: "Explain a Finding" }) : rules[0];
    if (chosen) await this.finding({ uri: uri.toString(), code: chosen.label, source: chosen.description });
    else if (rules.length === 0) {
      void vscode.window.showInformationMessage("No finding with a name is on this line. Put the cursor on a marked line.");
    }
  }

  dispose(): void {
    this.registration.dispose();
  }

  private async show(name: string, markdown: string): Promise<void> {
    // A preview that is already open does not load the same document again.
    this.pages += 1;
    const query = String(this.pages);
    this.texts.clear();
    this.texts.set(query, markdown);
    const page = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md`, query });
    await vscode.commands.executeCommand("markdown.showPreviewToSide", page);
  }
}
