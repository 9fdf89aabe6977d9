import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";
import type { AttemptStatus, HintsView, HintView } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";

/** The hints of the attempts in this window: takes the next one, and knows those that were taken. */
export class Hints implements vscode.Disposable {
  private readonly known = new Map<string, readonly HintView[]>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;

  readonly onDidChange = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly attempts: Attempts,
  ) {
    this.subscription = attempts.onDidChangeCurrent(() => void this.follow(attempts.current));
  }

  /** The hints that were taken in an attempt. */
  of(attempt: string): readonly HintView[] {
    return this.known.get(attempt) ?? [];
  }

  /** Takes the next hint once the person has read what it costs; whether there is one to show. */
  async take(): Promise<boolean> {
    const status = this.attempts.current;
    if (!status) return false;
    const uri = status.workspace;
    const before = await shown(this.server.request("hints", { uri }));
    if (!before) return false;
    this.keep(status, before);
    const { next, taken, of } = before;
    if (!next || next.waitsFor) {
      const missing = next ? t("Hint {0} can be taken after {1}.", next.number, next.waitsFor ?? "") : t("There are no more hints.");
      void vscode.window.showInformationMessage(missing);
      return taken.length > 0;
    }
    const sure = await vscode.window.showInformationMessage(
      t("Take hint {0} of {1}?", next.number, of),
      { modal: true, detail: t("It costs {0}. That you took it is recorded.", next.price) },
      t("Take Hint"),
    );
    if (sure !== t("Take Hint")) return false;
    const after = await shown(this.server.request("hint", { uri, number: next.number }));
    if (after) this.keep(status, after);
    return after !== undefined;
  }

  dispose(): void {
    vscode.Disposable.from(this.subscription, this.changed).dispose();
  }

  /** After a window was opened again, what was taken before is shown once the server may tell. */
  private async follow(status: AttemptStatus | undefined): Promise<void> {
    if (!status?.aids?.includes("hints") || this.known.has(status.attempt)) return;
    if (status.state === "open" || status.state === "paused") return;
    this.known.set(status.attempt, []);
    try {
      this.keep(status, await this.server.request("hints", { uri: status.workspace }));
    } catch {
      // The service does not answer now; Take a Hint says so.
      this.known.delete(status.attempt);
    }
  }

  private keep(status: AttemptStatus, view: HintsView): void {
    this.known.set(status.attempt, view.taken);
    this.changed.fire();
  }
}
