import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "../attempts/attempts.ts";
import { clockTime, spokenTime } from "../text/duration.ts";
import type { AttemptStatus } from "../generated/protocol.ts";
import { runsLeft } from "./studyText.ts";

/** Shows in the status bar that a study records, and the time and runs that are left; a click opens the study. */
export class StudyItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("study", vscode.StatusBarAlignment.Left, 102);
  private readonly subscription: vscode.Disposable;
  private ticking: NodeJS.Timeout | undefined;

  constructor(private readonly attempts: Attempts) {
    this.item.name = t("Benchwright Study");
    this.item.command = "benchwright.ui.study";
    this.subscription = attempts.onDidChangeCurrent(() => this.show());
    this.show();
  }

  dispose(): void {
    clearInterval(this.ticking);
    vscode.Disposable.from(this.item, this.subscription).dispose();
  }

  private show(): void {
    clearInterval(this.ticking);
    const status = this.attempts.current;
    if (!status?.study || !isUnfinished(status)) {
      this.item.hide();
      return;
    }
    this.draw(status);
    if (status.state === "running" && status.remainingS != null) {
      this.ticking = setInterval(() => this.draw(status), 1000);
    }
    this.item.show();
  }

  private draw(status: AttemptStatus): void {
    const left = this.attempts.secondsLeft(status);
    const runs = runsLeft(status);
    const time = left === undefined ? [] : [t("{0} left", clockTime(left))];
    const spoken = left === undefined ? [] : [t("{0} left", spokenTime(left))];
    const tries = runs === undefined ? [] : [runs === 1 ? t("1 run left") : t("{0} runs left", runs)];
    this.item.text = [`$(record) ${t("Recording")}`, ...time, ...tries].join(" · ");
    this.item.tooltip = t("{0}\nSelect to see the study, or to withdraw.", recordedSentence(status.recording));
    this.item.accessibilityInformation = {
      label: t("A Benchwright study records this task. {0}", [...spoken, ...tries].join(", ")).trim(),
      role: "button",
    };
    // The last minute and the last run are highlighted.
    const isShort = (left !== undefined && left < 60) || runs === 0;
    this.item.backgroundColor = isShort ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  }
}

function recordedSentence(recording: AttemptStatus["recording"]): string {
  switch (recording) {
    case "timing":
      return t("This study records when you do something, but no text.");
    case "edits":
      return t("This study records when and where you edit, but no text.");
    default:
      return t("This study records every change to the files of this task.");
  }
}
