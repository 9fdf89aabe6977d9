import { t } from "@vscode/l10n";
import { clockTime } from "./duration.ts";
import type { OthersView, OwnNumber } from "../generated/protocol.ts";
import { standingText } from "./standing.ts";

/** A value in words; a dash if it is not known. */
export function known<T>(value: T | null, text: (value: T) => string): string {
  return value === null ? "–" : text(value);
}

/** The standing of an attempt. */
export function resultText({ view }: OwnNumber): string {
  return standingText(view);
}

/** Who made an attempt. */
export function makerText(workedAs: string): string {
  return MAKERS[workedAs] ?? t("unknown");
}

const MAKERS: Readonly<Record<string, string>> = {
  human: t("you"),
  "human+copilot": t("you with an assistant"),
  "human+agent": t("you with an agent"),
  agent: t("an agent"),
};

/** Whether a person had a part in an attempt, as far as that is known. */
export function isByPerson({ workedAs }: OwnNumber): boolean {
  return workedAs.startsWith("human");
}

/** How others did at a problem. */
export function othersText({ attempts, solved, quarterMin, halfMin, threeQuartersMin }: OthersView): string {
  const share = t("{0} of {1} solved it.", solved, attempts);
  const parts: [string, number | null][] = [[t("a quarter"), quarterMin], [t("half"), halfMin], [t("three quarters"), threeQuartersMin]];
  const reached = parts.flatMap(([part, minutes]) => (minutes === null ? [] : [t("{0} after {1}", part, clockTime(60 * minutes))]));
  return reached.length === 0 ? share : t("{0} By an estimate that includes those who gave up: {1}.", share, reached.join(", "));
}
