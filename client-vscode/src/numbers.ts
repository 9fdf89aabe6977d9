import * as vscode from "vscode";
import { numbersPage, type NumbersGroup } from "./numbersPage.ts";
import { shown } from "./reporting.ts";
import type { Server } from "./server.ts";

const SCHEME = "benchwright-numbers";

/** Shows a person's own times and results, and those of others where a study allows it. */
export class NumbersPage implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private text = "";
  private pages = 0;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(private readonly server: Server) {}

  provideTextDocumentContent(): string {
    return this.text;
  }

  async show(): Promise<void> {
    const groups = await shown(this.groups());
    if (!groups) return;
    this.text = numbersPage(groups);
    // A preview that is already open does not load the same document again.
    this.pages += 1;
    const page = vscode.Uri.from({ scheme: SCHEME, path: "/My Numbers.md", query: String(this.pages) });
    await vscode.commands.executeCommand("markdown.showPreview", page);
  }

  dispose(): void {
    this.registration.dispose();
  }

  private async groups(): Promise<NumbersGroup[]> {
    const { studies } = await this.server.request("studies", {});
    const ofStudies = studies.map(async ({ study, title }): Promise<NumbersGroup> => {
      return { heading: title, attempts: (await this.server.request("numbers", { study })).attempts };
    });
    const outside = { heading: "Outside studies", attempts: (await this.server.request("numbers", {})).attempts };
    return [...(await Promise.all(ofStudies)), outside];
  }
}
