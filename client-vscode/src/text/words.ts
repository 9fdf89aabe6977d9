import { t } from "@vscode/l10n";

/** The server's words for states, kinds and difficulties, in the language of the editor. */
const WORDS: Readonly<Record<string, string>> = {
  "not begun": t("not begun"),
  queued: t("queued"),
  undecided: t("undecided"),
  recorded: t("recorded"),
  "files changed": t("files changed"),
  "given up": t("given up"),
  "out of time": t("out of time"),
  withdrawn: t("withdrawn"),
  superseded: t("superseded"),
  cancelled: t("cancelled"),
  passed: t("passed"),
  failed: t("failed"),
  "waiting for a judge": t("waiting for a judge"),
  "Nobody has opened it": t("Nobody has opened it"),
  "The clock has not started": t("The clock has not started"),
  "The hidden tests have not run yet": t("The hidden tests have not run yet"),
  "No answer has been scored yet": t("No answer has been scored yet"),
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
