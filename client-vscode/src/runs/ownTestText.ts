import { t } from "@vscode/l10n";
import type { CoveredSignal } from "../generated/protocol.ts";

const MAX_LISTED = 5;

/** What a case is called below its test: `depth=4, width=8` of `fills/depth=4/width=8`. */
export function caseOf(name: string): string {
  const [, ...parameters] = name.split("/");
  return parameters.length > 0 ? parameters.join(", ") : name;
}

/** The toggles of a line in words, and how often those that moved least often did. */
export function toggleSummary(toggles: readonly CoveredSignal[]): { name: string; moved: number } {
  const still = toggles.filter(({ count }) => count === 0).map(({ name }) => name);
  const moved = Math.min(...toggles.map(({ count }) => count));
  if (still.length === 0) return { name: t("All {0} toggles happened", toggles.length), moved };
  const listed = still.slice(0, MAX_LISTED).join(", ");
  const more = still.length - MAX_LISTED;
  return { name: more > 0 ? t("Never toggled: {0} and {1} more", listed, more) : t("Never toggled: {0}", listed), moved };
}
