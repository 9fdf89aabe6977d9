import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { doctorPage, serverMissingPage } from "./doctorPage.ts";
import { errorText, shown } from "../reporting.ts";
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
    const text = await this.server
      .request("doctor", {})
      .then(doctorPage, (error: unknown) => serverMissingPage(errorText(error)));
    await this.present(text);
  }

  /** Shows the report if something is missing. */
  async showMissing(): Promise<void> {
    const report = await shown(this.server.request("doctor", {}));
    if (report?.items.some(({ status }) => status !== "ok")) await this.present(doctorPage(report));
  }

  dispose(): void {
    this.registration.dispose();
  }

  private async present(text: string): Promise<void> {
    this.text = text;
    // A preview that is already open does not load the same document again.
    this.reports += 1;
    const page = vscode.Uri.from({ scheme: SCHEME, path: `/${t("Benchwright Doctor")}.md`, query: String(this.reports) });
    await vscode.commands.executeCommand("markdown.showPreview", page);
  }
}
