import { clockTime } from "./duration.ts";
import type { AttemptStatus, StudyView } from "./generated/protocol.ts";

/** How far the participant has come in the study. */
export function progressText(view: Pick<StudyView, "practice" | "position" | "total">): string {
  if (view.practice) return "Practice";
  return view.position ? `Task ${view.position} of ${view.total}` : "";
}

/** What the condition of a task means for the participant, as sentences. */
export function conditionSentence(view: Pick<StudyView, "solver" | "assistants">): string {
  if (view.solver === "human") {
    return (
      "Work on this task without help from an AI model. " +
      "AI features of this editor are switched off as far as its settings allow, and any help you use is recorded."
    );
  }
  if (view.solver !== "human+copilot") return "";
  const names = (view.assistants ?? []).map((one) => (one === "benchwright" ? "Benchwright's own completion" : one));
  return names.length > 0 ? `In this task you may use ${listed(names)}.` : "In this task you may use AI assistants.";
}

/** What a recording level keeps, as sentences. */
export function recordingSentence(recording: string): string {
  switch (recording) {
    case "timing":
      return (
        "The study records when you do something, the results of the hidden tests, your answers to the forms, and the " +
        "extensions and AI settings of your editor. No text and no file name of your edits is kept."
      );
    case "edits":
      return (
        "The study records when you do something, where and how much you edit, the results of the hidden tests, your " +
        "answers to the forms, and the extensions and AI settings of your editor. None of the text you write is kept."
      );
    default:
      return (
        "The study records when you do something, every change to the files of a task, the results of the hidden " +
        "tests, your answers to the forms, and the extensions and AI settings of your editor. Nothing outside a " +
        "task's folder is recorded."
      );
  }
}

/** Where the data goes, as a sentence. */
export function destinationSentence(dataTo: string): string {
  return dataTo === "nowhere"
    ? "Your data stays on this machine until you or the organisers of the study export it."
    : `While you take part, your records are written to ${dataTo}, from your consent on and as they grow.`;
}

/** Whether the data has arrived, as sentences for a participant who has finished. */
export function deliverySentences({ delivery, dataTo }: Pick<StudyView, "delivery" | "dataTo">): string[] {
  if (!delivery) return [];
  if (delivery.arrived) return [`Your records were written to ${dataTo}.`];
  if (!delivery.tries) return [`Your records are on their way. They are kept on this machine until ${dataTo} has them.`];
  const times = delivery.tries === 1 ? "one attempt" : `${delivery.tries} attempts`;
  return [
    `Your records are not delivered yet, after ${times}. Nothing is lost: they are kept on this machine, and ` +
      "Benchwright tries again each time the editor starts.",
    delivery.told ?? "",
  ];
}

/** Runs that are left of a task with a limit. */
export function runsLeft(status: Pick<AttemptStatus, "runs" | "runsAllowed">): number | undefined {
  return status.runsAllowed == null ? undefined : Math.max(0, status.runsAllowed - status.runs);
}

/** The rules of a task and how much of each limit is used: names and values. */
export function taskFacts(view: StudyView, status: AttemptStatus | undefined): [string, string][] {
  const limit = status?.timeLimitS ?? view.timeLimitS ?? undefined;
  const allowed = status?.runsAllowed ?? view.runsAllowed ?? undefined;
  const used = status?.runs ?? 0;
  return [
    ["Clock", CLOCK[status?.state ?? "open"]],
    ["Time limit", limit === undefined ? "none" : `${clockTime(limit)} of active time; pauses do not count`],
    ["Runs of the tests", allowed === undefined ? `${used} so far, any number` : `${used} of ${allowed}`],
    ...(allowed === undefined
      ? []
      : ([["Saving", "does not run the tests; use Run Hidden Tests"]] as [string, string][])),
    ["Results", FEEDBACK[view.feedback] ?? view.feedback],
  ];
}

const CLOCK: Readonly<Record<AttemptStatus["state"], string>> = {
  open: "not started",
  running: "running",
  paused: "paused",
  submitted: "ended, submitted",
  abandoned: "ended, given up",
  timed_out: "ended, out of time",
};

const FEEDBACK: Readonly<Record<string, string>> = {
  none: "not shown in this study",
  verdict: "whether the hidden tests pass",
  names: "which hidden tests pass",
  messages: "which hidden tests pass, and the messages of those that fail",
  full: "everything that the problem allows",
};

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
