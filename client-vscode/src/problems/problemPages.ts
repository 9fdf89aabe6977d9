import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { problemPage } from "./problemLabel.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import type { Row } from "./tree.ts";

const SCHEME = "benchwright-problem";

/** Shows what is known of a problem before it is opened. */
export class ProblemPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private pages = 0;

  constructor(private readonly server: Server) {}

  async provideTextDocumentContent(page: vscode.Uri): Promise<string> {
    const packs = (await shown(this.server.request("packs", {})))?.packs ?? [];
    const ref = new URLSearchParams(page.query).get("problem");
    for (const pack of packs) {
      const problem = pack.problems.find((one) => one.ref === ref);
      if (problem) return problemPage(problem, pack);
    }
    return t("This problem is not installed any more.");
  }

  async show(row: Row | undefined): Promise<void> {
    if (!row || !("problem" in row)) return;
    const { ref, title } = row.problem;
    // A preview that is already open does not load the same document again.
    this.pages += 1;
    const query = new URLSearchParams({ problem: ref, page: String(this.pages) }).toString();
    const name = title.replaceAll("/", "∕");
    await vscode.commands.executeCommand(
      "markdown.showPreview",
      vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md`, query }),
    );
  }

  dispose(): void {
    this.registration.dispose();
  }
}
