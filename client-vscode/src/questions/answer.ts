import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { answerLength, answerShown, answerText } from "./answerFile.ts";
import { isUnfinished, type Attempts } from "../attempts/attempts.ts";
import { errorText, shown } from "../reporting.ts";
import { inOneLine, resultsPage } from "../runs/resultsPage.ts";
import type { Server } from "../server/server.ts";
import { WebviewHost, type Ready } from "../webviewHost.ts";
import type { FromAnswer, ToAnswer } from "../webview/pages/answer.ts";

const COUNT_AFTER_MS = 250;

/** The answer form over `answer.md`: the file stays the truth, the form edits it. */
export class AnswerForm implements vscode.CustomTextEditorProvider {
  private readonly sessions = new Set<FormSession>();

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    private readonly attempts: Attempts,
  ) {}

  register(): vscode.Disposable {
    return vscode.window.registerCustomEditorProvider("benchwright.answer", this, {
      webviewOptions: { retainContextWhenHidden: true },
    });
  }

  resolveCustomTextEditor(document: vscode.TextDocument, panel: vscode.WebviewPanel): void {
    const session = new FormSession(document, panel.webview, this.extension, this.server, this.attempts);
    this.sessions.add(session);
    panel.onDidDispose(() => {
      this.sessions.delete(session);
      session.dispose();
    });
  }

  /** Waits until everything typed is in the documents. */
  async settled(): Promise<void> {
    await Promise.all([...this.sessions].map((session) => session.settled()));
  }
}

/** One form on the screen. */
class FormSession implements vscode.Disposable {
  private applied = 0;
  private writing: Promise<unknown> = Promise.resolve();
  private isWritten = false;
  private counting: NodeJS.Timeout | undefined;
  private readonly folder: vscode.Uri;
  private readonly host: WebviewHost<ToAnswer, FromAnswer>;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly document: vscode.TextDocument,
    private readonly webview: vscode.Webview,
    extension: vscode.Uri,
    private readonly server: Server,
    private readonly attempts: Attempts,
  ) {
    this.folder = vscode.Uri.joinPath(document.uri, "..");
    const page = { extension, page: "answer", title: t("Answer"), pictures: [this.folder] };
    this.host = new WebviewHost(webview, page, (message) => this.receive(message));
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document && event.contentChanges.length > 0) this.postAnswer();
      }),
      // The newest edits may still be on their way when the save comes.
      vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document === document) event.waitUntil(this.writing);
      }),
      attempts.onDidChange(({ now }) => {
        if (document.uri.path.startsWith(`${vscode.Uri.parse(now.workspace).path}/`)) void this.postResult();
      }),
      server.onDidChangeState((state) => {
        if (state === "ready") void this.postQuestion();
      }),
    ];
  }

  async settled(): Promise<void> {
    await this.writing;
  }

  dispose(): void {
    clearTimeout(this.counting);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private receive(message: FromAnswer | Ready): void {
    switch (message.type) {
      case "ready":
        void this.postQuestion();
        break;
      case "start":
        void this.start();
        break;
      case "submit":
        void this.submit();
        break;
      case "save":
        void this.writing.then(() => this.document.save());
        break;
      case "language":
        void vscode.commands.executeCommand("benchwright.ui.openProblem", { problem: { ref: message.problem } });
        break;
      case "edit":
        // One after the other: two edits under way at once would be made to the same old text.
        this.writing = this.writing.then(() => this.write(message.answer, message.edit));
        break;
    }
  }

  private async write(answer: string, edit: number): Promise<void> {
    const wanted = answerText(answer);
    const present = this.document.getText();
    if (wanted !== present) {
      const change = new vscode.WorkspaceEdit();
      const whole = new vscode.Range(this.document.positionAt(0), this.document.positionAt(present.length));
      change.replace(this.document.uri, whole, wanted);
      await this.reportTyping();
      await vscode.workspace.applyEdit(change);
    }
    this.applied = edit;
    this.postAnswer();
  }

  /** The form replaces the whole text: without a word, the log could not say that a person typed it. */
  private async reportTyping(): Promise<void> {
    const status = this.attempts.known(this.document.uri);
    if (!status || !isUnfinished(status)) return;
    const { uri, version } = this.document;
    const used = { uri: uri.toString(), command: "benchwright.answerForm", version };
    await this.server.notify("commandUsed", used).catch(() => undefined);
  }

  private async start(): Promise<void> {
    await this.attempts.follow(this.document.uri);
    await vscode.commands.executeCommand("benchwright.ui.start");
  }

  private async submit(): Promise<void> {
    await this.attempts.follow(this.document.uri);
    await vscode.commands.executeCommand("benchwright.ui.submit");
  }

  private async postQuestion(): Promise<void> {
    try {
      const view = await this.server.request("question", { uri: this.document.uri.toString() });
      const workspace = this.webview.asWebviewUri(this.folder).toString();
      this.isWritten = view.choices.length === 0;
      this.host.post({ type: "question", view, workspace });
      this.postAnswer();
      await this.postResult();
    } catch (error) {
      this.host.post({ type: "problem", text: t("The question cannot be shown. {0}", errorText(error)) });
    }
  }

  private postAnswer(): void {
    this.host.post({ type: "answer", answer: answerShown(this.document.getText()), edit: this.applied });
    if (!this.isWritten) return;
    clearTimeout(this.counting);
    this.counting = setTimeout(() => void this.postLength(), COUNT_AFTER_MS);
  }

  private async postLength(): Promise<void> {
    const length = await this.server.request("length", { text: this.document.getText() }).catch(() => undefined);
    if (length) this.host.post({ type: "length", text: answerLength(length) });
  }

  private async postResult(): Promise<void> {
    const status = await shown(this.attempts.of(this.document.uri));
    if (!status) return;
    const page = resultsPage(status);
    const { state, study } = status;
    const attempt = study ? { state, study } : { state };
    this.host.post({ type: "result", outcome: page.outcome, sign: page.sign, text: inOneLine(page), attempt });
  }
}
