import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "../attempts/attempts.ts";
import type { EditReasonView } from "../generated/protocol.ts";
import type { Server } from "../server/server.ts";

const PROPOSAL = "textDocumentChangeReason";
const SENT_AFTER_MS = 100;

/** An event as the proposed API of the editor enriches it; without that API the field is missing. */
interface ReasonedChange extends vscode.TextDocumentChangeEvent {
  readonly detailedReason?: { readonly source: string; readonly metadata?: Readonly<Record<string, unknown>> };
}

/** Whether the editor reports the reason of each edit; if not, it has removed the proposal from the list. */
export function reportsReasons(extension: vscode.Extension<unknown>): boolean {
  const { enabledApiProposals: proposals } = extension.packageJSON as { enabledApiProposals?: unknown };
  return Array.isArray(proposals) && proposals.includes(PROPOSAL);
}

/** Reports to the server where each edit of a recorded file came from, as far as the editor knows. */
export class ChangeReasons implements vscode.Disposable {
  private pending: EditReasonView[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly attempts: Attempts,
  ) {
    this.subscription = vscode.workspace.onDidChangeTextDocument((event) => this.collect(event));
  }

  dispose(): void {
    this.flush();
    this.subscription.dispose();
  }

  private collect(event: ReasonedChange): void {
    if (event.contentChanges.length === 0) return;
    const { uri, version } = event.document;
    const status = this.attempts.known(uri);
    const reason = reasonOf(event);
    if (!reason || !status || !isUnfinished(status)) return;
    this.pending.push({ uri: uri.toString(), version, ...reason });
    this.timer ??= setTimeout(() => this.flush(), SENT_AFTER_MS);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.length === 0) return;
    const edits = this.pending;
    this.pending = [];
    void this.server.notify("editReasons", { edits });
  }
}

function reasonOf(event: ReasonedChange): Pick<EditReasonView, "reason" | "metadata"> | undefined {
  const detailed = event.detailedReason;
  if (detailed) return { reason: detailed.source, metadata: plain(detailed.metadata) };
  // Every editor reports undo and redo.
  if (event.reason === vscode.TextDocumentChangeReason.Undo) return { reason: "undo", metadata: {} };
  if (event.reason === vscode.TextDocumentChangeReason.Redo) return { reason: "redo", metadata: {} };
  return undefined;
}

/** The part that JSON can carry. */
function plain(metadata: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const simple = Object.entries(metadata ?? {}).filter(([, value]) =>
    ["string", "number", "boolean"].includes(typeof value),
  );
  return Object.fromEntries(simple);
}
