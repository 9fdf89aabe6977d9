import { t } from "@vscode/l10n";
import type { AttemptStatus } from "../generated/protocol.ts";

/** What the clock in the status bar shows. */
export interface Face {
  readonly icon: string;
  readonly word: (time: string) => string;
  readonly tooltip: string;
  readonly command: string;
}

/** What is shown instead of the clock for as long as nothing is recorded here; undefined if everything is recorded. */
export function troubleOf(
  status: Pick<AttemptStatus, "notRecorded" | "readOnly">,
): (Face & { readonly background: string }) | undefined {
  const command = "benchwright.ui.showResults";
  if (status.readOnly) {
    return {
      icon: "lock",
      word: () => t("Read-only"),
      tooltip: status.readOnly,
      command,
      background: "statusBarItem.warningBackground",
    };
  }
  if (status.notRecorded) {
    return {
      icon: "error",
      word: (time) => t("Not recorded {0}", time).trim(),
      tooltip: t("What you do is not recorded at present. {0}", status.notRecorded),
      command,
      background: "statusBarItem.errorBackground",
    };
  }
  return undefined;
}
