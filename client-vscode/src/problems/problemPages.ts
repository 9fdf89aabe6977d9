import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { problemFacts } from "./problemLabel.ts";
import type { PackSummary, ProblemSummary } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import { standingText } from "../text/standing.ts";
import { WebviewHost } from "../webviewHost.ts";
import type { FromProblem, ToProblem } from "../webview/pages/problem.ts";
import type { Row } from "./tree.ts";

const SCHEME = "benchwright-attempt";

/** Shows a problem without opening it: its statement, and what the person has done with it before. */
export class ProblemPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private panel: vscode.WebviewPanel | undefined;
  private host: WebviewHost<ToProblem, FromProblem> | undefined;
  private ref = "";

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
  ) {}

  /** A file as an attempt left it: the path is its own, the query is the attempt. */
  async provideTextDocumentContent({ path, query }: vscode.Uri): Promise<string> {
    const found = await shown(this.server.request("replayAt", { attempt: query, seq: Number.MAX_SAFE_INTEGER }));
    const file = found?.files.find((one) => path.endsWith(`/${one.path}`));
    return file?.text ?? t("The log does not have this file.");
  }

  async show(row: Row | undefined): Promise<void> {
    if (!row || !("problem" in row)) return;
    this.ref = row.problem.ref;
    if (this.panel) {
      this.panel.reveal();
      await this.load();
      return;
    }
    const { title } = row.problem;
    this.panel = vscode.window.createWebviewPanel("benchwright.problem", title, vscode.ViewColumn.Active, { enableFindWidget: true });
    this.panel.onDidDispose(() => (this.panel = this.host = undefined));
    this.host = new WebviewHost(this.panel.webview, { extension: this.extension, page: "problem", title }, async (message) => {
      switch (message.type) {
        case "ready":
          await this.load();
          break;
        case "command":
          await vscode.commands.executeCommand(`benchwright.ui.${message.command}`, this.argument(message));
          break;
        case "files":
          for (const path of message.paths) await vscode.window.showTextDocument(attemptFile(message.attempt, path), { preview: false });
          break;
        case "compare":
          for (const path of message.paths) {
            const [older, newer] = [attemptFile(message.older, path), attemptFile(message.newer, path)];
            await vscode.commands.executeCommand("vscode.diff", older, newer, t("{0}: an earlier attempt and a later one", path));
          }
      }
    });
  }

  dispose(): void {
    vscode.Disposable.from(this.registration, ...(this.panel ? [this.panel] : [])).dispose();
  }

  private argument(message: Extract<FromProblem, { type: "command" }>): unknown {
    if (message.command === "replay") return message.attempt;
    return message.command === "nextProblem" ? this.ref : { problem: { ref: this.ref } };
  }

  private async load(): Promise<void> {
    const { ref } = this;
    const [list, page] = await Promise.all([
      shown(this.server.request("packs", {})),
      shown(this.server.request("problemPage", { problem: ref })),
    ]);
    const found = list?.packs.flatMap((pack) => pack.problems.filter((one) => one.ref === ref).map((problem) => ({ problem, pack })))[0];
    if (!found || !page || ref !== this.ref || !this.panel) return;
    const { problem, pack } = found;
    this.panel.title = problem.title;
    this.host?.post({
      title: problem.title,
      facts: [...problemFacts(problem), ...packFacts(pack)],
      statement: page.statement,
      expected: page.expected,
      hasUnfinished: problem.hasUnfinished ?? false,
      attempts: page.attempts.map((one) => ({ ...one, standing: standingText(one.view) })),
    });
  }
}

/** Whether opening a problem would begin again what the person has ended. */
export function isEnded({ attempts = 0, hasUnfinished = false }: ProblemSummary): boolean {
  return attempts > 0 && !hasUnfinished;
}

function packFacts(pack: PackSummary): (readonly [string, string])[] {
  const rule = pack.assistance ? [[t("Help by models"), pack.assistance] as const] : [];
  return [[t("Pack"), pack.title], [t("Version"), pack.version], [t("Licence"), pack.license], ...rule];
}

function attemptFile(attempt: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${attempt.slice(0, 8)}/${path}`, query: attempt });
}
