import { t } from "@vscode/l10n";
import type { StandingView } from "../generated/protocol.ts";
import { word } from "./words.ts";

export type Standing = StandingView["standing"];

/** Codicon and colour of a standing; the server says it in words. */
interface Look {
  readonly icon: string;
  readonly colour?: string;
}

/** In the order of lists that are grouped by it: what is unfinished first. */
const LOOKS: Readonly<Record<Standing, Look>> = {
  running: { icon: "sync", colour: "charts.blue" },
  queued: { icon: "clock", colour: "charts.blue" },
  "files changed": { icon: "history", colour: "charts.blue" },
  open: { icon: "edit", colour: "charts.blue" },
  "waiting for a judge": { icon: "watch", colour: "charts.yellow" },
  undecided: { icon: "question", colour: "charts.yellow" },
  failed: { icon: "error", colour: "testing.iconFailed" },
  "out of time": { icon: "stop-circle", colour: "testing.iconFailed" },
  "given up": { icon: "circle-slash" },
  "not begun": { icon: "circle-outline" },
  recorded: { icon: "circle-filled" },
  passed: { icon: "pass-filled", colour: "testing.iconPassed" },
  withdrawn: { icon: "sign-out" },
  superseded: { icon: "skip" },
  cancelled: { icon: "debug-stop" },
};

/** Every standing. */
export const STANDINGS = Object.keys(LOOKS) as readonly Standing[];

export function standingIcon(standing: Standing): string {
  return LOOKS[standing].icon;
}

/** Undefined for the colour of the text. */
export function standingColour(standing: Standing): string | undefined {
  return LOOKS[standing].colour;
}

/** `✗ failed, run 3`: the sign, the word and the run that they speak of. */
export function standingText({ standing, sign, run }: Pick<StandingView, "standing" | "sign" | "run">): string {
  const words = run == null ? word(standing) : t("{0}, run {1}", word(standing), run);
  return sign ? `${sign} ${words}` : words;
}

/** What a page about a run says once there is a newer one; empty while there is none. */
export function newerRunNote(shownRun: number | null | undefined, { newestRun }: StandingView): string {
  if (shownRun == null || newestRun == null || newestRun <= shownRun) return "";
  return t("Run {0} is newer: this is about run {1}.", newestRun, shownRun);
}
