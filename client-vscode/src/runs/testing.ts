import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { isUnfinished, type AttemptChange, type Attempts } from "../attempts/attempts.ts";
import type { AttemptStatus, VerdictView } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";

/** The Test Explorer: one opaque item per open design problem, never its single hidden tests. */
export class HiddenTests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("benchwright", "Benchwright");
  private readonly runs = new Map<string, vscode.TestRun>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    attempts: Attempts,
    private readonly run: (uri: string) => Promise<void>,
  ) {
    this.controller.createRunProfile(t("Run Hidden Tests"), vscode.TestRunProfileKind.Run, (request, token) =>
      this.requested(request, token),
    );
    this.subscriptions = [attempts.onDidChange((change) => this.changed(change))];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.controller).dispose();
  }

  private async requested(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const items = request.include ?? [...this.controller.items].map(([, item]) => item);
    for (const item of items.filter((wanted) => !request.exclude?.includes(wanted))) {
      const run = this.controller.createTestRun(request);
      this.runs.set(item.id, run);
      run.enqueued(item);
      const cancelling = token.onCancellationRequested(() => shown(this.server.request("cancelRun", { uri: item.id })));
      await this.run(item.id);
      cancelling.dispose();
      // Nothing ran, for instance because the clock is paused.
      if (this.runs.delete(item.id)) run.end();
    }
  }

  private changed({ before, now }: AttemptChange): void {
    if (now.kind !== "design") return;
    const item = this.item(now);
    if (!item) return;
    if (now.running && (!before?.running || before.view.standing !== now.view.standing)) {
      const run = this.runs.get(item.id) ?? this.begin(item, now);
      if (now.view.standing === "queued") run.enqueued(item);
      else run.started(item);
    }
    if (!now.running && (before?.running || this.isNewer(before, now))) this.finish(item, before, now);
    if (!isUnfinished(now)) this.controller.items.delete(item.id);
  }

  private item(status: AttemptStatus): vscode.TestItem | undefined {
    const known = this.controller.items.get(status.workspace);
    if (!isUnfinished(status) && !known) return undefined;
    if (known) return known;
    const made = this.controller.createTestItem(status.workspace, t("Hidden tests: {0}", status.title));
    this.controller.items.add(made);
    return made;
  }

  private begin(item: vscode.TestItem, { view }: AttemptStatus): vscode.TestRun {
    // A run that a save started must not take the focus from the editor.
    const request = new vscode.TestRunRequest([item], undefined, undefined, false, true);
    const run = this.controller.createTestRun(request, t("Hidden tests, run {0}", view.run ?? ""));
    this.runs.set(item.id, run);
    return run;
  }

  private finish(item: vscode.TestItem, before: AttemptStatus | undefined, now: AttemptStatus): void {
    const run = this.runs.get(item.id) ?? this.begin(item, now);
    const verdict = now.verdict ?? undefined;
    if (verdict && this.isNewer(before, now)) report(run, item, verdict);
    else run.skipped(item);
    run.end();
    this.runs.delete(item.id);
  }

  private isNewer(before: AttemptStatus | undefined, now: AttemptStatus): boolean {
    return now.verdict != null && now.verdict.number !== before?.verdict?.number;
  }
}

function report(run: vscode.TestRun, item: vscode.TestItem, verdict: VerdictView): void {
  const milliseconds = verdict.wallS * 1000;
  const words = [verdict.message, ...(verdict.lines ?? []).map(lineText)].join("\n");
  run.appendOutput(`${words}\n`.replaceAll("\n", "\r\n"), undefined, item);
  if (verdict.outcome === "passed") run.passed(item, milliseconds);
  else if (verdict.outcome === "recorded") run.skipped(item);
  else if (verdict.outcome === "failed") run.failed(item, new vscode.TestMessage(words), milliseconds);
  else run.errored(item, new vscode.TestMessage(words), milliseconds);
}

function lineText(line: NonNullable<VerdictView["lines"]>[number]): string {
  return `${line.passed ? t("passed") : t("failed")}: ${line.name}${line.message ? `\n  ${line.message}` : ""}`;
}
