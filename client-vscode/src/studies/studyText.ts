import { t } from "@vscode/l10n";
import { clockTime } from "../text/duration.ts";
import type { AttemptStatus, InformationView, StudyView } from "../generated/protocol.ts";

/** How far the participant has come in the study. */
export function progressText(view: Pick<StudyView, "practice" | "position" | "total" | "toForecast">): string {
  if (view.toForecast) return t("Forecast {0} of {1}", view.toForecast.number, view.toForecast.total);
  if (view.practice) return t("Practice");
  return view.position ? t("Task {0} of {1}", view.position, view.total) : "";
}

/** What the condition of a task means for the participant, as sentences. */
export function conditionSentence(view: Pick<StudyView, "solver" | "assistants">): string {
  if (view.solver === "human") {
    return t(
      "Work on this task without help from an AI model. " +
        "AI features of this editor are switched off as far as its settings allow, and any help you use is recorded.",
    );
  }
  if (view.solver === "human+agent") return t("In this task you may use AI agents and assistants. What they do is recorded as theirs.");
  if (view.solver !== "human+copilot") return "";
  const names = (view.assistants ?? []).map((one) => (one === "benchwright" ? t("Benchwright's own completion") : one));
  return names.length > 0 ? t("In this task you may use {0}.", listed(names)) : t("In this task you may use AI assistants.");
}

/** What a recording level keeps, as sentences. */
export function recordingSentence(recording: string): string {
  switch (recording) {
    case "timing":
      return t(
        "The study records when you do something, the results of the hidden tests, your answers to the forms, and the " +
          "extensions and AI settings of your editor. No text and no file name of your edits is kept.",
      );
    case "edits":
      return t(
        "The study records when you do something, where and how much you edit, the results of the hidden tests, your " +
          "answers to the forms, and the extensions and AI settings of your editor. None of the text you write is kept.",
      );
    default:
      return t(
        "The study records when you do something, every change to the files of a task, the results of the hidden " +
          "tests, your answers to the forms, and the extensions and AI settings of your editor. Nothing outside a " +
          "task's folder is recorded.",
      );
  }
}

/** What the study file settles about data and tasks, as a sentence; the server decides which ones there are. */
export function informationSentence({ kind, value, text }: InformationView): string {
  switch (kind) {
    case "stays":
      return t("Your data stays on this machine until you or the organisers of the study export it.");
    case "written":
      return t("While you take part, your records are written to {0}, from your consent on and as they grow.", value);
    case "written_to_service":
      return t(
        "While you take part, your records go to the bench service that conducts the study, from your consent on and " +
          "as they grow.",
      );
    case "kept":
      return t("Records are kept for at most {0} months after the end of the study.", value);
    case "seen":
      return t("Your records are seen by: {0}.", value);
    case "tasks":
      return t("Number of tasks: {0}.", value);
    case "time":
      return t("You work for at most {0}; pauses and forms are not counted.", value);
    case "no_limit":
      return t("Not every task has a time limit, so the study does not say how long it takes.");
    case "pay":
      return t("What you get for taking part: {0}.", value);
    case "ethics":
      return t("Ethics review: {0}.", value);
    default:
      return text;
  }
}

/** Whether the data has arrived, as sentences for a participant who has finished. */
export function deliverySentences({ delivery, dataTo }: Pick<StudyView, "delivery" | "dataTo">): string[] {
  if (!delivery) return [];
  if (delivery.arrived) return [t("Your records were written to {0}.", dataTo)];
  const { tries } = delivery;
  if (!tries) return [t("Your records are on their way. They are kept on this machine until {0} has them.", dataTo)];
  const failed =
    tries === 1
      ? t("Your records are not delivered yet, after one attempt.")
      : t("Your records are not delivered yet, after {0} attempts.", tries);
  const kept = t("Nothing is lost: they are kept on this machine, and Benchwright tries again each time the editor starts.");
  return [`${failed} ${kept}`, delivery.told ?? ""];
}

/** Runs that are left of a design task with a limit. */
export function runsLeft(status: Pick<AttemptStatus, "kind" | "runs" | "runsAllowed">): number | undefined {
  return status.runsAllowed == null || status.kind !== "design" ? undefined : Math.max(0, status.runsAllowed - status.runs);
}

/** The rules of a task and how much of each limit is used: names and values. */
export function taskFacts(view: StudyView, status: AttemptStatus | undefined): [string, string][] {
  const limit = status?.timeLimitS ?? view.timeLimitS ?? undefined;
  const allowed = status?.runsAllowed ?? view.runsAllowed ?? undefined;
  const used = status?.runs ?? 0;
  const isDesign = (view.problemKind ?? "design") === "design";
  return [
    [t("Task clock"), CLOCK[status?.state ?? "open"]],
    [t("Time limit"), limit === undefined ? t("no limit") : t("{0} of active time; pauses do not count", clockTime(limit))],
    ...(isDesign ? runFacts(used, allowed) : []),
    [t("Results"), isDesign || view.feedback === "none" ? (FEEDBACK[view.feedback] ?? view.feedback) : t("whether the answer is correct")],
  ];
}

function runFacts(used: number, allowed: number | undefined): [string, string][] {
  if (allowed === undefined) return [[t("Runs of the tests"), t("{0} so far, any number", used)]];
  return [
    [t("Runs of the tests"), t("{0} of {1}", used, allowed)],
    [t("Saving"), t("does not run the tests; use Run Hidden Tests")],
  ];
}

const CLOCK: Readonly<Record<AttemptStatus["state"], string>> = {
  open: t("not started"),
  running: t("running"),
  paused: t("paused"),
  submitted: t("ended, submitted"),
  abandoned: t("ended, given up"),
  timed_out: t("ended, out of time"),
};

const FEEDBACK: Readonly<Record<string, string>> = {
  none: t("not shown in this study"),
  verdict: t("whether the hidden tests pass"),
  names: t("which hidden tests pass"),
  messages: t("which hidden tests pass, and the messages of those that fail"),
  full: t("everything that the problem allows"),
  reference: t("everything that the problem allows"),
};

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : t("{0} and {1}", names.slice(0, -1).join(", "), names.at(-1) ?? "");
}

export type StudyCommand = "showTask" | "start" | "pause" | "resume" | "run" | "submit" | "abandon" | "withdraw" | "numbers";

/** The commands that a task offers. An answer has no run of its own: it is scored when it is saved or submitted, as its form says. */
export function taskSteps(status: AttemptStatus | undefined): [string, StudyCommand][] {
  const isDesign = status?.kind === "design";
  switch (status?.state) {
    case "running":
      return [
        [isDesign ? t("Go to the File") : t("Go to the Answer"), "showTask"],
        ...(isDesign ? ([[t("Run Hidden Tests"), "run"]] as [string, StudyCommand][]) : []),
        [t("Submit…"), "submit"],
        [t("Pause…"), "pause"],
        [t("Give Up…"), "abandon"],
      ];
    case "paused":
      return [
        [t("Resume the Clock"), "resume"],
        [t("Submit…"), "submit"],
        [t("Give Up…"), "abandon"],
      ];
    default:
      return [
        [t("Start the Clock"), "start"],
        [t("Give Up…"), "abandon"],
      ];
  }
}
