import type { FlowView, SignalEnd } from "../generated/protocol.ts";

/** What a narrow side bar has room for beside a signal's name: where it is, and what it is in the assignment. */
export function signalDescription({ signal, part }: SignalEnd): string {
  const around = signal.path.slice(0, Math.max(0, signal.path.length - signal.name.length - 1));
  return part === "value" ? around : `${part} · ${around}`;
}

/** The whole row as a screen reader should say it. */
export function flowSpoken({ text, kind, instance, signals }: FlowView): string {
  const count = signals.length === 1 ? "1 signal" : `${signals.length} signals`;
  return `${text}, ${kind} in ${instance}, ${count}`;
}
