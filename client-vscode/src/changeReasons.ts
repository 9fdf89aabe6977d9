import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "./attempts.ts";
import type { EditReasonView } from "./generated/protocol.ts";
import type { Server } from "./server.ts";

const PROPOSAL = "textDocumentChangeReason";
const TOLD_AFTER_MS = 100;

/** An event as the proposed API of the editor enriches it; without that API the field is missing. */
interface ReasonedChange extends vscode.TextDocumentChangeEvent {
  readonly detailedReason?: { readonly source: string; readonly metadata?: Readonly<Record<string, unknown>> };
}

/** Whether the editor tells the reason of each edit: it takes the proposal off the list where it does not. */
export function tellsReasons(extension: vscode.Extension<unknown>): boolean {
  const { enabledApiProposals: proposals } = extension.packageJSON as { enabledApiProposals?: unknown };
  return Array.isArray(proposals) && proposals.includes(PROPOSAL);
}

/** Tells the server where each edit of a recorded file came from, as far as the editor says it. */
export class ChangeReasons implements vscode.Disposable {
  private waiting: EditReasonView[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly attempts: Attempts,
  ) {
    this.subscription = vscode.workspace.onDidChangeTextDocument((event) => this.keep(event));
  }

  dispose(): void {
    this.tell();
    this.subscription.dispose();
  }

  private keep(event: ReasonedChange): void {
    if (event.contentChanges.length === 0) return;
    const { uri, version } = event.document;
    const status = this.attempts.known(uri);
    const said = reasonOf(event);
    if (!said || !status || !isUnfinished(status)) return;
    this.waiting.push({ uri: uri.toString(), version, ...said });
    this.timer ??= setTimeout(() => this.tell(), TOLD_AFTER_MS);
  }

  private tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length === 0) return;
    const edits = this.waiting;
    this.waiting = [];
    void this.server.notify("editReasons", { edits });
  }
}

function reasonOf(event: ReasonedChange): Pick<EditReasonView, "reason" | "metadata"> | undefined {
  const detailed = event.detailedReason;
  if (detailed) return { reason: detailed.source, metadata: plain(detailed.metadata) };
  // Of undo and redo every editor tells.
  if (event.reason === vscode.TextDocumentChangeReason.Undo) return { reason: "undo", metadata: {} };
  if (event.reason === vscode.TextDocumentChangeReason.Redo) return { reason: "redo", metadata: {} };
  return undefined;
}

/** What of it JSON can carry. */
function plain(metadata: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const simple = Object.entries(metadata ?? {}).filter(([, value]) =>
    ["string", "number", "boolean"].includes(typeof value),
  );
  return Object.fromEntries(simple);
}
