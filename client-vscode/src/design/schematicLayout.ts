import { t } from "@vscode/l10n";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { ElkNode } from "elkjs/lib/elk-api.js";

interface Answer {
  readonly laidOut?: ElkNode;
  readonly failure?: string;
}

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
    const waiting = new AbortController();
    try {
      const late = delay(PATIENCE_MS, undefined, { signal: waiting.signal }).then(() => {
        throw new Error(t("The drawing takes too long to lay out. Ask about a module deeper in the design."));
      });
      // An error of the thread is thrown by `once`.
      const answered = once(worker, "message", { signal: waiting.signal }) as Promise<[Answer]>;
      worker.postMessage(graph);
      const [answer] = await Promise.race([answered, late]);
      if (answer.laidOut) return answer.laidOut;
      throw new Error(answer.failure ?? t("The drawing can't be laid out."));
    } catch (error) {
      this.dispose();
      throw error;
    } finally {
      waiting.abort();
    }
  }
}
