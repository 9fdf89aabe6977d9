import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Panel, PanelContext } from "../panel.ts";
import type { Server } from "../server/server.ts";
import { WebviewHost, type Ready } from "../webviewHost.ts";
import type { FromGrading, ToGrading } from "../webview/pages/grading.ts";

const PSEUDONYM = "benchwright.grader";

/** Where people grade answers, blind. The keys come from a program of its own, not through the language server. */
export class GradingPanel implements Panel {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly context: PanelContext) {}

  async show(): Promise<void> {
    if (this.panel) {
      this.panel.reveal();
      return;
    }
    const grader = await this.pseudonym();
    if (grader === undefined) return;
    const panel = vscode.window.createWebviewPanel("benchwright.grading", t("Grade Answers"), vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    this.panel = panel;
    const grading = new GradingProcess(grader, this.context.server, (line) => host.post(line));
    const page = { extension: this.context.extension, page: "grading", title: t("Grade Answers") };
    const host = new WebviewHost<ToGrading, FromGrading>(panel.webview, page, (message) => grading.receive(message));
    panel.onDidDispose(() => {
      grading.dispose();
      this.panel = undefined;
    });
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private async pseudonym(): Promise<string | undefined> {
    const known = this.context.memory.get<string>(PSEUDONYM);
    const chosen = await vscode.window.showInputBox({
      title: t("Grade Answers"),
      prompt: t("Your pseudonym as a grader. It is kept with your grades; your name is not."),
      ignoreFocusOut: true,
      ...(known === undefined ? {} : { value: known }),
      validateInput: (text) => (text.trim() ? undefined : t("Type a pseudonym of at most 60 characters.")),
    });
    const grader = chosen?.trim();
    if (grader) await this.context.memory.update(PSEUDONYM, grader);
    return grader || undefined;
  }
}

/** The program that knows what is to be graded; started when the page is ready. */
class GradingProcess implements vscode.Disposable {
  private program: ChildProcessWithoutNullStreams | undefined;
  private errors = "";
  private isOver = false;

  constructor(
    private readonly grader: string,
    private readonly server: Server,
    private readonly send: (line: ToGrading) => void,
  ) {}

  receive(message: FromGrading | Ready): void {
    if (message.type === "ready") void this.start();
    else this.program?.stdin.write(`${JSON.stringify(message)}\n`);
  }

  dispose(): void {
    this.isOver = true;
    // At the end of its input it saves what it was given and ends.
    this.program?.stdin.end();
  }

  private async start(): Promise<void> {
    const found = await this.server.find();
    if (this.isOver) return;
    if (!found) {
      this.fail(t("Benchwright is not installed. Run the command Benchwright: Install Server."));
      return;
    }
    const { command } = found;
    const program = spawn(command, ["judge", "desk", "--grader", this.grader]);
    this.program = program;
    createInterface({ input: program.stdout }).on("line", (text) => {
      const line = JSON.parse(text) as ToGrading;
      this.isOver ||= line.type === "done";
      this.send(line);
    });
    program.stderr.setEncoding("utf8").on("data", (text: string) => (this.errors += text));
    program.stdin.on("error", () => undefined);
    program.on("error", () => this.fail(t("{0} does not start. Run the command Benchwright: Doctor.", command)));
    const exited = t("The grading program has exited. Close this page and open it again.");
    program.on("close", () => this.fail(this.errors.trim() || exited));
  }

  private fail(reason: string): void {
    if (!this.isOver) this.send({ type: "failed", reason });
    this.isOver = true;
  }
}
