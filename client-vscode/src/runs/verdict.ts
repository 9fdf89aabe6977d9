import { t } from "@vscode/l10n";
import type { VerdictView } from "../generated/protocol.ts";

/** What the problem lets the solver see, as a sentence. */
export function revealSentence({ reveal, policySentence }: VerdictView, kind: string): string {
  if (reveal === "none") return t("This study shows no results.");
  if (kind !== "design") return t("This question shows only whether the answer is correct.");
  switch (reveal) {
    case "verdict":
      return t("This problem shows only whether the hidden tests pass.");
    case "names":
      return t("This problem shows test names only.");
    case "messages":
      return t("This problem shows test names and failure messages, but no log.");
    case "full":
      return t("This problem shows test names, failure messages and the log.");
    case "reference":
      return t("This problem shows test names, failure messages and the log, and once it is solved its reference.");
    default:
      return policySentence;
  }
}
