import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";
import { clockTime, spokenTime } from "../text/duration.ts";
import type { AttemptStatus } from "../generated/protocol.ts";
import { troubleOf, type Face } from "./recordingTrouble.ts";

/** The attempt's clock in the status bar; a click starts, pauses or resumes it. */
export class ClockItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("clock", vscode.StatusBarAlignment.Left, 101);
  private readonly subscription: vscode.Disposable;
  private ticking: NodeJS.Timeout | undefined;

  constructor(private readonly attempts: Attempts) {
    this.item.name = t("Benchwright Clock");
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
    if (status === undefined) {
      this.item.hide();
      return;
    }
    this.draw(status);
    if (status.state === "running" && status.activeS != null) this.ticking = setInterval(() => this.draw(status), 1000);
    this.item.show();
  }

  private draw(status: AttemptStatus): void {
    const seconds = this.attempts.activeSeconds(status);
    const trouble = troubleOf(status);
    const face = trouble ?? FACES[status.state];
    const time = status.state === "open" || seconds === undefined ? "" : clockTime(seconds);
    this.item.text = `$(${face.icon}) ${face.word(time)}`.trim();
    this.item.tooltip = `${status.title}: ${face.tooltip}`;
    const said = [t("Benchwright clock"), status.title, ...(seconds === undefined ? [] : [spokenTime(seconds)])].join(", ");
    this.item.accessibilityInformation = {
      label: `${said}. ${face.tooltip}`,
      role: "button",
    };
    this.item.command = face.command;
    this.item.backgroundColor = trouble && new vscode.ThemeColor(trouble.background);
  }
}

const FACES: Readonly<Record<AttemptStatus["state"], Face>> = {
  open: {
    icon: "play",
    word: () => t("Start"),
    tooltip: t("The clock has not started. Select to start it."),
    command: "benchwright.ui.start",
  },
  running: {
    icon: "watch",
    word: (time) => time || t("Running"),
    tooltip: t("The clock is running. Select to pause it."),
    command: "benchwright.ui.pause",
  },
  paused: {
    icon: "debug-pause",
    word: (time) => time || t("Paused"),
    tooltip: t("The clock is paused. Select to resume it."),
    command: "benchwright.ui.resume",
  },
  submitted: {
    icon: "check-all",
    word: (time) => t("Submitted {0}", time),
    tooltip: t("This attempt was submitted. Select to see its results."),
    command: "benchwright.ui.showResults",
  },
  abandoned: {
    icon: "circle-slash",
    word: (time) => t("Given up {0}", time),
    tooltip: t("This attempt was given up. Select to see its results."),
    command: "benchwright.ui.showResults",
  },
  timed_out: {
    icon: "clockface",
    word: (time) => t("Out of time {0}", time),
    tooltip: t("This attempt ran out of time. Select to see its results."),
    command: "benchwright.ui.showResults",
  },
};
