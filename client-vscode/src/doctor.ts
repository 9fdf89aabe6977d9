import * as vscode from "vscode";
import { doctorPage, serverMissingPage } from "./doctorPage.ts";
import type { Server } from "./server.ts";

const SCHEME = "benchwright-doctor";

/** Shows what is installed, what is missing and what to do about it. */
export class Doctor implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private text = "";
  private reports = 0;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(private readonly server: Server) {}

  provideTextDocumentContent(): string {
    return this.text;
  }

  async show(): Promise<void> {
    this.text = await this.server
      .request("doctor", {})
      .then(doctorPage, (error: unknown) => serverMissingPage(error instanceof Error ? error.message : String(error)));
    // A preview that is open already does not look at the same document again.
    this.reports += 1;
    const page = vscode.Uri.from({ scheme: SCHEME, path: "/Benchwright Doctor.md", query: String(this.reports) });
    await vscode.commands.executeCommand("markdown.showPreview", page);
  }

  dispose(): void {
    this.registration.dispose();
  }
}
