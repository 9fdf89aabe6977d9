import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "../attempts/attempts.ts";
import type { AttemptStatus, StudyView } from "../generated/protocol.ts";
import { showPrimary, type Opening } from "../problems/opening.ts";
import { errorText, shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import { WebviewHost, type Ready } from "../webviewHost.ts";
import type { FromStudy, ToStudy } from "../webview/pages/study.ts";
import type { StudyCommand } from "./studyText.ts";

const PENDING = "benchwright.pendingStudy";

/** Leads a participant through a study: consent, tasks with their forms, questionnaire. The server decides what is next. */
export class StudyPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private host: WebviewHost<ToStudy, FromStudy> | undefined;
  private view: StudyView | undefined;
  private isWithdrawing = false;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    private readonly attempts: Attempts,
    private readonly opening: Opening,
    private readonly memory: vscode.Memento,
  ) {
    this.subscription = attempts.onDidChange(({ before, now }) => void this.follow(before, now));
  }

  dispose(): void {
    this.subscription.dispose();
    this.panel?.dispose();
  }

  /** Shows the study that the person takes part in, or lets them choose among several. */
  async show(study?: string): Promise<void> {
    const chosen = study ?? this.attempts.current?.study ?? (await shown(this.choose(t("Take Part in a Study"))));
    if (!chosen) return;
    const view = await shown(this.server.request("study", { study: chosen }));
    if (view) this.present(view);
  }

  /** Continues a study whose task had to be opened in a window of its folder. */
  async finishPending(): Promise<void> {
    const study = this.memory.get<string>(PENDING);
    if (!study) return;
    await this.memory.update(PENDING, undefined);
    await this.show(study);
  }

  async withdraw(): Promise<void> {
    const study = this.view?.study ?? this.attempts.current?.study ?? (await shown(this.choose(t("Withdraw from a Study"))));
    if (!study) return;
    const keep = t("Withdraw, Keep My Data");
    const remove = t("Withdraw and Delete My Data");
    const choice = await vscode.window.showWarningMessage(
      t("Withdraw from this study?"),
      {
        modal: true,
        detail: t(
          "A task in progress ends, and nothing more is recorded. What was recorded so far is kept, or deleted " +
            "from this machine together with the folders of your tasks.",
        ),
      },
      keep,
      remove,
    );
    if (choice !== keep && choice !== remove) return;
    // Whatever this ends must not bring the page up again.
    this.isWithdrawing = true;
    const view = await shown(this.server.request("withdrawConsent", { study, delete: choice === remove }));
    this.isWithdrawing = false;
    if (view) this.present(view);
  }

  private async choose(title: string): Promise<string | undefined> {
    const { studies } = await this.server.request("studies", {});
    if (studies.length === 0) {
      void vscode.window.showInformationMessage(
        t(
          "There is no study to take part in on this machine. Its organisers start one with the command " +
            "benchwright study run FILE --participant NAME in a terminal.",
        ),
      );
      return undefined;
    }
    if (studies.length === 1) return studies[0]?.study;
    const items = studies.map(({ study, title: label, participant, done, total }) => {
      return { label, description: t("as {0}, {1} of {2} tasks done", participant, done, total), study };
    });
    return (await vscode.window.showQuickPick(items, { title, placeHolder: t("Choose a study") }))?.study;
  }

  private present(view: StudyView): void {
    this.view = view;
    if (this.panel) {
      this.panel.title = view.title;
      this.panel.reveal(vscode.ViewColumn.One);
      void this.post();
      return;
    }
    const panel = vscode.window.createWebviewPanel("benchwright.study", view.title, vscode.ViewColumn.One, {
      retainContextWhenHidden: true,
    });
    this.panel = panel;
    panel.onDidDispose(() => (this.panel = this.host = undefined));
    const page = { extension: this.extension, page: "study", title: t("Study") };
    this.host = new WebviewHost(panel.webview, page, (message) => this.receive(message));
  }

  private async receive(message: FromStudy | Ready): Promise<void> {
    const study = this.view?.study;
    if (!study) return;
    try {
      switch (message.type) {
        case "ready":
          await this.post();
          break;
        case "agree":
          this.present(await this.server.request("giveConsent", { study, version: message.version }));
          break;
        case "decline":
          this.panel?.dispose();
          void vscode.window.showInformationMessage(
            t("You did not agree, so nothing was recorded. You can still join: run Take Part in a Study."),
          );
          break;
        case "openTask":
          await this.openTask(study);
          break;
        case "forecast":
          this.present(await this.server.request("forecast", { study, problem: message.problem, ...message.given }));
          break;
        case "unlock":
          this.present(await this.server.request("unlock", { study, code: message.code }));
          break;
        case "selfEstimate":
          await this.answered(this.server.request("selfEstimate", { uri: this.workspace(), ...message.given }));
          break;
        case "questionnaire":
          this.present(await this.server.request("questionnaire", { study, answers: message.answers }));
          break;
        case "deliver":
          this.present(await this.server.request("study", { study }));
          break;
        case "command":
          await this.command(study, message.command);
          break;
      }
    } catch (error) {
      this.host?.post({ type: "refused", reason: errorText(error) });
    }
  }

  /** Opens the task's files and statement, then this page again, because it has the button that starts the clock. */
  private async openTask(study: string): Promise<void> {
    const opened = await this.server.request("openTask", { study });
    await this.closePast(study);
    const isHere = vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(opened.status.workspace)) !== undefined;
    // Opening a folder restarts the extension; `finishPending` continues.
    if (!isHere) await this.memory.update(PENDING, study);
    await this.opening.show(opened);
    if (isHere) await this.show(study);
  }

  /** Closes saved files of earlier tasks: they would only be in the way. */
  private async closePast(study: string): Promise<void> {
    const past = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => {
      const isFile = tab.input instanceof vscode.TabInputText || tab.input instanceof vscode.TabInputCustom;
      const status = isFile ? this.attempts.known(tab.input.uri) : undefined;
      return status?.study === study && !isUnfinished(status) && !tab.isDirty;
    });
    await vscode.window.tabGroups.close(past, true);
  }

  private async answered(answer: Promise<AttemptStatus>): Promise<void> {
    this.attempts.update(await answer);
    await this.refresh();
  }

  private async command(study: string, command: StudyCommand): Promise<void> {
    if (this.view?.workspace) await this.attempts.follow(vscode.Uri.parse(this.view.workspace));
    if (command !== "showTask") await vscode.commands.executeCommand(`benchwright.ui.${command}`);
    // The next thing to do is to edit the file.
    if (!["showTask", "start", "resume"].includes(command)) return;
    await showPrimary(await this.server.request("openTask", { study }));
  }

  /** An attempt changed: updates the page, and brings it to the front if the attempt has ended. */
  private async follow(before: AttemptStatus | undefined, now: AttemptStatus): Promise<void> {
    if (!now.study || this.isWithdrawing) return;
    const hasEnded = before !== undefined && isUnfinished(before) && !isUnfinished(now);
    if (hasEnded) await this.show(now.study).catch(() => undefined);
    else if (this.panel && this.view?.study === now.study) await this.refresh().catch(() => undefined);
  }

  private async refresh(): Promise<void> {
    if (!this.view) return;
    const view = await this.server.request("study", { study: this.view.study });
    if (this.isWithdrawing) return;
    this.view = view;
    await this.post();
  }

  private workspace(): string {
    if (!this.view?.workspace) throw new Error(t("The task is not open. Open it first."));
    return this.view.workspace;
  }

  private async post(): Promise<void> {
    const view = this.view;
    if (!view) return;
    const status = view.workspace ? await this.attempts.of(vscode.Uri.parse(view.workspace)) : undefined;
    this.host?.post({ type: "view", view, status, leftS: status && this.attempts.secondsLeft(status) });
  }
}
