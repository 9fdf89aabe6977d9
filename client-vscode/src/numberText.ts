import { t } from "@vscode/l10n";
import { clockTime } from "./duration.ts";
import type { OthersView, OwnNumber } from "./generated/protocol.ts";

/** A value in words; a dash if it is not known. */
export function known<T>(value: T | null, text: (value: T) => string): string {
  return value === null ? "–" : text(value);
}

/** How an attempt ended. */
export function resultText({ state, passed }: OwnNumber): string {
  const ended = ENDED[state];
  if (ended === undefined) return t("not ended");
  if (passed) return t("passed");
  return passed == null ? ended : t("{0}, not passed", ended);
}

const ENDED: Readonly<Record<string, string>> = {
  submitted: t("submitted"),
  abandoned: t("given up"),
  timed_out: t("out of time"),
};

/** How others did at a problem. */
export function othersText({ attempts, solved, quarterMin, halfMin, threeQuartersMin }: OthersView): string {
  const share = t("{0} of {1} solved it.", solved, attempts);
  const parts: [string, number | null][] = [[t("a quarter"), quarterMin], [t("half"), halfMin], [t("three quarters"), threeQuartersMin]];
  const reached = parts.flatMap(([part, minutes]) => (minutes === null ? [] : [t("{0} after {1}", part, clockTime(60 * minutes))]));
  return reached.length === 0 ? share : t("{0} By an estimate that includes those who gave up: {1}.", share, reached.join(", "));
}
