import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { problemPage } from "./problemLabel.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import { TextPage } from "../textPage.ts";
import type { Row } from "./tree.ts";

/** Shows what is known of a problem before it is opened. */
export class ProblemPages implements vscode.Disposable {
  private readonly page: TextPage;

  constructor(
    extension: vscode.Uri,
    private readonly server: Server,
  ) {
    this.page = new TextPage(extension, vscode.ViewColumn.Active);
  }

  async show(row: Row | undefined): Promise<void> {
    if (!row || !("problem" in row)) return;
    const { ref, title } = row.problem;
    const found = await shown(this.server.request("packs", {}));
    if (!found) return;
    const pages = found.packs.flatMap((pack) => pack.problems.filter((one) => one.ref === ref).map((one) => problemPage(one, pack)));
    this.page.show(title, pages[0] ?? t("This problem is not installed any more."));
  }

  dispose(): void {
    this.page.dispose();
  }
}
