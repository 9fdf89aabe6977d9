import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";
import { verdictIcon } from "./verdict.ts";

/** The newest verdict in the status bar; a click opens the results. */
export class VerdictItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("verdict", vscode.StatusBarAlignment.Left, 100);
  private readonly subscription: vscode.Disposable;

  constructor(private readonly attempts: Attempts) {
    this.item.name = t("Benchwright Verdict");
    this.item.command = "benchwright.ui.showResults";
    this.subscription = attempts.onDidChangeCurrent(() => this.show());
    this.show();
  }

  dispose(): void {
    vscode.Disposable.from(this.item, this.subscription).dispose();
  }

  private show(): void {
    const status = this.attempts.current;
    if (status?.running) {
      this.draw("sync~spin", t("Running"), t("The hidden tests are running"));
    } else if (status?.verdict) {
      const { short, headline, message } = status.verdict;
      this.draw(verdictIcon(status.verdict), short, `${headline}. ${message}`);
    } else {
      this.item.hide();
    }
  }

  private draw(icon: string, text: string, sentence: string): void {
    this.item.text = `$(${icon}) ${text}`;
    this.item.tooltip = t("{0}\nSelect to see the results.", sentence);
    this.item.accessibilityInformation = { label: t("Benchwright: {0}", sentence), role: "button" };
    this.item.show();
  }
}
