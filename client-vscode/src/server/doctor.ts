import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { doctorPage, serverMissingPage } from "./doctorPage.ts";
import { errorText, shown } from "../reporting.ts";
import type { Server } from "./server.ts";
import { TextPage } from "../textPage.ts";

/** Shows what is installed, what is missing and what to do about it. */
export class Doctor implements vscode.Disposable {
  private readonly page: TextPage;

  constructor(
    extension: vscode.Uri,
    private readonly server: Server,
  ) {
    this.page = new TextPage(extension, vscode.ViewColumn.Active);
  }

  async show(): Promise<void> {
    const text = await this.server
      .request("doctor", {})
      .then(doctorPage, (error: unknown) => serverMissingPage(errorText(error)));
    this.present(text);
  }

  /** Shows the report if something is missing. */
  async showMissing(): Promise<void> {
    const report = await shown(this.server.request("doctor", {}));
    if (report?.items.some(({ status }) => status !== "ok")) this.present(doctorPage(report));
  }

  dispose(): void {
    this.page.dispose();
  }

  private present(text: string): void {
    this.page.show(t("Benchwright Doctor"), text);
  }
}
