import type { Operations } from "../generated/protocol.ts";

/** What the page of a waveform may ask of the server. */
export const ASKED = ["waveformItems", "waveformWindow", "waveformValues", "waveformChange"] as const;
export type AskedName = (typeof ASKED)[number];

type Params<K extends AskedName> = Omit<Operations[K]["params"], "uri">;

/** A question of the page, for the extension to put to the server. */
export interface Asked {
  readonly type: "ask";
  readonly number: number;
  readonly name: AskedName;
  readonly params: object;
}

export interface Answer {
  readonly number: number;
  readonly result?: unknown;
  readonly failure?: string;
}

export type Ask = <K extends AskedName>(name: K, params: Params<K>) => Promise<Operations[K]["result"]>;

/** Questions by messages: `answered` takes the extension's answers. */
export function asking(send: (message: Asked) => void): { readonly ask: Ask; readonly answered: (answer: Answer) => void } {
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (reason: Error) => void }>();
  let last = 0;
  return {
    ask: (name, params) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        send({ type: "ask", number: last, name, params });
      }),
    answered: ({ number, result, failure }) => {
      const found = waiting.get(number);
      waiting.delete(number);
      if (failure === undefined) found?.resolve(result as never);
      else found?.reject(new Error(failure));
    },
  };
}

/** Does something, and once more if it was asked for meanwhile; never twice at once. */
export function inTurn(work: () => Promise<void>): () => Promise<void> {
  let [isRunning, isStale] = [false, false];
  return async () => {
    isStale = true;
    if (isRunning) return;
    isRunning = true;
    while (isStale) {
      isStale = false;
      await work();
    }
    isRunning = false;
  };
}
