import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "./attempts.ts";
import type { AttemptStatus } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import { summarySentence } from "../runs/resultsPage.ts";
import type { Server } from "../server/server.ts";

/** The commands of an attempt: clock, runs, submit, give up. */
export class AttemptCommands {
  constructor(
    private readonly server: Server,
    private readonly attempts: Attempts,
    private readonly showResults: () => void,
    /** Waits until everything typed into forms is in their documents. */
    private readonly settle: () => Promise<void>,
  ) {}

  async start(): Promise<void> {
    await this.requestStep("start");
  }

  async resume(): Promise<void> {
    await this.requestStep("resume");
  }

  async cancelRun(): Promise<void> {
    await this.requestStep("cancelRun");
  }

  async pause(): Promise<void> {
    const status = this.unfinished();
    if (!status) return;
    const reason = await vscode.window.showInputBox({
      title: t("Pause the Clock"),
      prompt: t("Reason for the pause (optional). Enter pauses the clock, Escape keeps it running."),
      placeHolder: t("lunch, a question from a colleague …"),
    });
    if (reason === undefined) return;
    const paused = await shown(this.server.request("pause", { uri: status.workspace, reason: reason.trim() || null }));
    if (paused) this.attempts.update(paused);
  }

  /** Runs the hidden tests; returns the status after the run, or undefined if nothing ran. */
  async run(): Promise<AttemptStatus | undefined> {
    const status = this.unfinished();
    if (!status || !(await this.ensureClockRuns(status))) return undefined;
    await this.settle();
    await saveAll(status);
    const after = await shown(this.server.request("run", { uri: status.workspace }));
    if (after) this.attempts.update(after);
    return after;
  }

  async runFrom(uri: string): Promise<void> {
    await this.attempts.follow(vscode.Uri.parse(uri));
    await this.run();
  }

  async submit(): Promise<void> {
    const status = this.unfinished();
    if (!status) return;
    const sure = await vscode.window.showInformationMessage(
      t("Submit “{0}”?", status.title),
      { modal: true, detail: t("This saves your files, ends the attempt and stops its clock.") },
      t("Submit"),
    );
    if (sure !== t("Submit")) return;
    await this.settle();
    await saveAll(status);
    const summary = await shown(this.server.request("submit", { uri: status.workspace }));
    if (!summary) return;
    this.attempts.submitted(summary);
    // A study continues with its own next step, and may not show results.
    if (status.study) return;
    this.showResults();
    offerProblems(summarySentence(summary), t("Open Another Problem…"));
  }

  async submitFrom(uri: string): Promise<void> {
    await this.attempts.follow(vscode.Uri.parse(uri));
    await this.submit();
  }

  async abandon(): Promise<void> {
    const status = this.unfinished();
    if (!status) return;
    if (status.study) {
      await this.giveUp(status);
      return;
    }
    const sure = await vscode.window.showWarningMessage(
      t("Give Up “{0}”?", status.title),
      { modal: true, detail: t("This ends the attempt without a result and keeps your files.") },
      t("Give Up"),
    );
    if (sure !== t("Give Up")) return;
    const abandoned = await shown(this.server.request("abandon", { uri: status.workspace }));
    if (abandoned) this.attempts.update(abandoned);
  }

  /** A study wants the reason; asking for it also serves as the confirmation. */
  private async giveUp(status: AttemptStatus): Promise<void> {
    const reason = await vscode.window.showInputBox({
      title: t("Give Up “{0}”", status.title),
      prompt: t("Reason for giving up (optional). Enter ends the task without a result, Escape continues it."),
      placeHolder: t("too hard, no time left …"),
      ignoreFocusOut: true,
    });
    if (reason === undefined) return;
    const uri = status.workspace;
    const abandoned = await shown(this.server.request("abandon", { uri, reason: reason.trim() || null }));
    if (abandoned) this.attempts.update(abandoned);
  }

  private async requestStep(name: "start" | "resume" | "cancelRun"): Promise<AttemptStatus | undefined> {
    const status = this.unfinished();
    if (!status) return undefined;
    const after = await shown(this.server.request(name, { uri: status.workspace }));
    if (after) this.attempts.update(after);
    return after;
  }

  private unfinished(): AttemptStatus | undefined {
    const status = this.attempts.current;
    if (status && isUnfinished(status)) return status;
    if (status?.study) {
      void vscode.commands.executeCommand("benchwright.ui.study");
      return undefined;
    }
    const message = status
      ? t("The attempt at “{0}” has ended. Open the problem in a new attempt to continue.", status.title)
      : t("No problem is open here. Open one first.");
    offerProblems(message, t("Open Problem…"));
    return undefined;
  }

  private async ensureClockRuns(status: AttemptStatus): Promise<boolean> {
    if (status.state === "running") return true;
    const [question, detail, button, step] =
      status.state === "open"
        ? ([
            t("Start the clock?"),
            t("The hidden tests run once the clock has started."),
            t("Start the Clock"),
            "start",
          ] as const)
        : ([
            t("Resume the clock?"),
            t("The hidden tests do not run while it is paused."),
            t("Resume the Clock"),
            "resume",
          ] as const);
    const choice = await vscode.window.showInformationMessage(question, { modal: true, detail }, button);
    return choice === button && (await this.requestStep(step))?.state === "running";
  }
}

function offerProblems(message: string, button: string): void {
  void vscode.window.showInformationMessage(message, button).then((choice) => {
    if (choice) void vscode.commands.executeCommand("benchwright.ui.openProblem");
  });
}

async function saveAll(status: AttemptStatus): Promise<void> {
  const folder = `${vscode.Uri.parse(status.workspace).path.replace(/\/$/, "")}/`;
  const dirty = vscode.workspace.textDocuments.filter((doc) => doc.isDirty && doc.uri.path.startsWith(folder));
  await Promise.all(dirty.map((doc) => doc.save()));
}
