import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "../attempts/attempts.ts";
import { problemFacts } from "./problemLabel.ts";
import type { PackSummary, ProblemPage, ProblemSummary } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import { standingText } from "../text/standing.ts";
import { word } from "../text/words.ts";
import { WebviewHost } from "../webviewHost.ts";
import type { BestSolution, FromProblem, ToProblem } from "../webview/pages/problem.ts";
import type { Row } from "./tree.ts";

const SCHEME = "benchwright-attempt";
const REFERENCE = "benchwright-reference";

/** Shows a problem without opening it: its statement, and what the person has done with it before. */
export class ProblemPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration: vscode.Disposable;
  private panel: vscode.WebviewPanel | undefined;
  private host: WebviewHost<ToProblem, FromProblem> | undefined;
  private ref = "";

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    attempts: Attempts,
  ) {
    this.registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.registerTextDocumentContentProvider(REFERENCE, {
        provideTextDocumentContent: ({ path, query }) => this.referenceText(path.slice(1), query),
      }),
      // What was submitted is measured some seconds later.
      attempts.onDidChange(({ now }) => {
        if (this.panel && now.problem === this.ref && !isUnfinished(now)) void this.load();
      }),
    );
  }

  /** A file as an attempt left it: the path is its own, the query is the attempt. */
  async provideTextDocumentContent({ path, query }: vscode.Uri): Promise<string> {
    const found = await shown(this.server.request("replayAt", { attempt: query, seq: Number.MAX_SAFE_INTEGER }));
    const file = found?.files.find((one) => path.endsWith(`/${one.path}`));
    return file?.text ?? t("The log does not have this file.");
  }

  /** A file of a reference, as long as the problem shows it. */
  private async referenceText(path: string, ref: string): Promise<string> {
    const page = await shown(this.server.request("problemPage", { problem: ref }));
    return page?.reference?.find((file) => file.path === path)?.text ?? t("The reference is not shown now.");
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
        case "reference":
          for (const path of message.paths) await showReference(this.ref, path, message.attempt);
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
      best: bestSolution(page),
      explanation: page.explanation ?? "",
    });
  }
}

/** Whether opening a problem would begin again what the person has ended. */
export function isEnded({ attempts = 0, hasUnfinished = false }: ProblemSummary): boolean {
  return attempts > 0 && !hasUnfinished;
}

function bestSolution({ best, attempts, solutions, reference }: ProblemPage): BestSolution | undefined {
  const attempt = attempts.find((one) => one.attempt === best?.attempt);
  if (!best || !attempt) return undefined;
  const number = (value: number | null): string => (value === null ? t("unknown") : String(value));
  const measures = (best.quality ?? []).map((line) => [word(line.measure), number(line.solution), number(line.reference)] as const);
  return { attempt, solutions: solutions ?? 0, measures, reference: reference?.map(({ path }) => path) };
}

/** Beside what an attempt left in the same file, if it is named. */
async function showReference(ref: string, path: string, attempt: string | undefined): Promise<void> {
  const reference = vscode.Uri.from({ scheme: REFERENCE, path: `/${path}`, query: ref });
  if (attempt === undefined) await vscode.window.showTextDocument(reference, { preview: false });
  else await vscode.commands.executeCommand("vscode.diff", attemptFile(attempt, path), reference, t("{0}: your solution and the reference", path));
}

function packFacts(pack: PackSummary): (readonly [string, string])[] {
  const rule = pack.assistance ? [[t("Help by models"), pack.assistance] as const] : [];
  return [[t("Pack"), pack.title], [t("Version"), pack.version], [t("Licence"), pack.license], ...rule];
}

function attemptFile(attempt: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${attempt.slice(0, 8)}/${path}`, query: attempt });
}
