import { t } from "@vscode/l10n";
import { Worker } from "node:worker_threads";
import type { ElkNode } from "elkjs/lib/elk-api.js";

const PATIENCE_MS = 60_000;

/** Lays graphs out, one at a time, in a thread that stays: starting one takes a second. */
export class Layout {
  private worker: Worker | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private readonly script: string;

  constructor(script: string) {
    this.script = script;
  }

  /** Starts the thread, unless it runs. */
  start(): Worker {
    this.worker ??= new Worker(this.script);
    return this.worker;
  }

  async laidOut(graph: ElkNode): Promise<ElkNode> {
    const turn = this.last.then(() => this.answer(graph));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  dispose(): void {
    void this.worker?.terminate();
    this.worker = undefined;
  }

  private async answer(graph: ElkNode): Promise<ElkNode> {
    const worker = this.start();
    try {
      return await new Promise<ElkNode>((resolve, reject) => {
        const late = new Error(t("The drawing takes too long to lay out. Ask about a module deeper in the design."));
        const timer = setTimeout(() => reject(late), PATIENCE_MS);
        worker.once("error", reject);
        worker.once("message", (answer: { laidOut?: ElkNode; failure?: string }) => {
          clearTimeout(timer);
          if (answer.laidOut) resolve(answer.laidOut);
          else reject(new Error(answer.failure ?? t("The drawing can't be laid out.")));
        });
        worker.postMessage(graph);
      });
    } catch (error) {
      this.dispose();
      throw error;
    } finally {
      worker.removeAllListeners();
    }
  }
}
