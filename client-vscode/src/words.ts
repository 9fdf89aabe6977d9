import { t } from "@vscode/l10n";

/** The server's words for states, kinds and difficulties, in the language of the editor. */
const WORDS: Readonly<Record<string, string>> = {
  new: t("new"),
  attempted: t("attempted"),
  passed: t("passed"),
  failed: t("failed"),
  "waiting for a judge": t("waiting for a judge"),
  open: t("open"),
  running: t("running"),
  paused: t("paused"),
  submitted: t("submitted"),
  abandoned: t("given up"),
  timed_out: t("out of time"),
  design: t("design"),
  question: t("question"),
  text: t("text"),
  easy: t("easy"),
  medium: t("medium"),
  hard: t("hard"),
  gates: t("Gates"),
  flip_flops: t("Flip-flops"),
  latches: t("Latches"),
  depth: t("Gates on the longest path"),
  findings: t("Lint findings"),
};

/** A word of the server's; as it is if it is not one of the known ones. */
export function word(text: string): string {
  return WORDS[text] ?? text;
}
