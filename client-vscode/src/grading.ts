import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import type { Server } from "./server.ts";
import { webviewHtml } from "./webviewHtml.ts";
import type { FromGrading, ToGrading } from "./webview/messages.ts";

const PSEUDONYM = "benchwright.grader";

/** Where people grade answers, blind. The keys come from a program of their own, past the language server. */
export class GradingView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {}

  async show(): Promise<void> {
    if (this.panel) {
      this.panel.reveal();
      return;
    }
    const grader = await this.pseudonym();
    if (grader === undefined) return;
    const panel = vscode.window.createWebviewPanel("benchwright.grading", "Grade Answers", vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    this.panel = panel;
    const desk = new Desk(grader, this.server, (line) => void panel.webview.postMessage(line));
    panel.webview.onDidReceiveMessage((message: FromGrading) => desk.tell(message));
    panel.onDidDispose(() => {
      desk.dispose();
      this.panel = undefined;
    });
    panel.webview.html = webviewHtml(panel.webview, this.extension, "grading", "Grade Answers");
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private async pseudonym(): Promise<string | undefined> {
    const known = this.memory.get<string>(PSEUDONYM);
    const chosen = await vscode.window.showInputBox({
      title: "Grade Answers",
      prompt: "Your pseudonym as a grader. It is kept with your grades; your name is not.",
      ignoreFocusOut: true,
      ...(known === undefined ? {} : { value: known }),
      validateInput: (text) => (text.trim() ? undefined : "Type a pseudonym of at most 60 characters."),
    });
    const grader = chosen?.trim();
    if (grader) await this.memory.update(PSEUDONYM, grader);
    return grader || undefined;
  }
}

/** The program that knows what is to be graded; started when the page is there. */
class Desk implements vscode.Disposable {
  private program: ChildProcessWithoutNullStreams | undefined;
  private complaint = "";
  private isOver = false;

  constructor(
    private readonly grader: string,
    private readonly server: Server,
    private readonly say: (line: ToGrading) => void,
  ) {}

  tell(message: FromGrading): void {
    if (message.type === "ready") void this.start();
    else this.program?.stdin.write(`${JSON.stringify(message)}\n`);
  }

  dispose(): void {
    this.isOver = true;
    // At the end of its input it keeps what it was told and ends.
    this.program?.stdin.end();
  }

  private async start(): Promise<void> {
    const found = await this.server.find();
    if (this.isOver) return;
    if (!found) {
      this.fail("Benchwright is not installed. Run the command Benchwright: Install Server.");
      return;
    }
    const { command } = found;
    const program = spawn(command, ["judge", "desk", "--grader", this.grader]);
    this.program = program;
    createInterface({ input: program.stdout }).on("line", (line) => {
      const said = JSON.parse(line) as ToGrading;
      this.isOver ||= said.type === "done";
      this.say(said);
    });
    program.stderr.setEncoding("utf8").on("data", (text: string) => (this.complaint += text));
    program.stdin.on("error", () => undefined);
    program.on("error", () => this.fail(`${command} does not start. Run the command Benchwright: Doctor.`));
    program.on("close", () => this.fail(this.complaint.trim() || "The grading program has ended. Close this page and open it again."));
  }

  private fail(reason: string): void {
    if (!this.isOver) this.say({ type: "failed", reason });
    this.isOver = true;
  }
}
