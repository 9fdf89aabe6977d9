import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";
import { standingIcon } from "../text/standing.ts";

/** The current attempt's standing, in the status bar; a click opens the results. */
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
    if (status?.view.run == null) {
      this.item.hide();
      return;
    }
    const { standing, short, headline, run } = status.view;
    const message = status.verdict?.number === run ? status.verdict.message : "";
    const icon = standing === "running" ? `${standingIcon(standing)}~spin` : standingIcon(standing);
    this.draw(icon, short, [`${headline}.`, message].filter(Boolean).join(" "));
  }

  private draw(icon: string, text: string, sentence: string): void {
    this.item.text = `$(${icon}) ${text}`;
    this.item.tooltip = t("{0}\nSelect to see the results.", sentence);
    this.item.accessibilityInformation = { label: t("Benchwright: {0}", sentence), role: "button" };
    this.item.show();
  }
}
