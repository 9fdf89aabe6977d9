import { t } from "@vscode/l10n";

/** What a person did so far, as far as the guide follows it. */
export interface Seen {
  /** The clock runs, or ran. */
  readonly isStarted: boolean;
  /** A file of the workspace has an error. */
  readonly hasError: boolean;
  /** Hidden tests have judged a save. */
  readonly hasVerdict: boolean;
  readonly hasFailed: boolean;
  readonly showedResults: boolean;
  readonly hints: number;
  readonly hasPassed: boolean;
  readonly isSubmitted: boolean;
}

/** A command that a step offers as a button. */
export interface StepAction {
  readonly label: string;
  readonly command: string;
}

/** One step of the guide. */
export interface Step {
  readonly id: StepId;
  readonly title: string;
  readonly text: string;
  readonly actions: readonly StepAction[];
}

export type StepId = "read" | "error" | "repair" | "save" | "results" | "hint" | "pass" | "submit";

/** What the guide shows. */
export interface GuidePage {
  readonly steps: readonly (Step & { readonly isDone: boolean })[];
  /** The number of the step to do now; that of steps once all are done. */
  readonly now: number;
}

/** The steps, in their order; each says what to do, and what is to be seen. */
export function steps(): Step[] {
  return [
    {
      id: "read",
      title: t("Read the statement and start the clock"),
      text:
        t(
"The statement is beside the file to edit: a counter that stops at its limits instead of wrapping. Read as long as you " +
        "want. Then start the clock; it counts your time, and from now on each save runs the hidden tests.",
),
      actions: [{ label: t("Start the Clock"), command: "benchwright.ui.start" }],
    },
    {
      id: "error",
      title: t("Write a line with an error"),
      text: t("Replace the comment in rtl/sat_counter.sv by `assign at_max = cout == '1;`, with the typing error in cout. It is underlined as you type."),
      actions: [{ label: t("Show the File"), command: "benchwright.ui.guideFile" }],
    },
    {
      id: "repair",
      title: t("Find the error and correct it"),
      text: t("Press F8 to get to the error and read what it says, also in the Problems panel. Then write count instead of cout."),
      actions: [{ label: t("Next Problem in File"), command: "editor.action.marker.nextInFiles" }],
    },
    {
      id: "save",
      title: t("Save, and let the hidden tests fail"),
      text: t("Save the file. The tests run in a sandbox; you can't read them. The status bar shows how many passed."),
      actions: [{ label: t("Run Hidden Tests"), command: "benchwright.ui.run" }],
    },
    {
      id: "results",
      title: t("Read what failed"),
      text: t("The Results view lists each failing test, with what it expected and what it got where the problem reveals that."),
      actions: [{ label: t("Show Results"), command: "benchwright.ui.showResults" }],
    },
    {
      id: "hint",
      title: t("Take a hint"),
      text: t("This problem has three hints. The first one is free, the others cost points; that you took one is recorded. Here nothing counts."),
      actions: [{ label: t("Take a Hint…"), command: "benchwright.ui.takeHint" }],
    },
    {
      id: "pass",
      title: t("Write the counter until all tests pass"),
      text: t("Write the rest as the hint says, and save as often as you like. More hints are there if you are stuck."),
      actions: [
        { label: t("Run Hidden Tests"), command: "benchwright.ui.run" },
        { label: t("Take a Hint…"), command: "benchwright.ui.takeHint" },
      ],
    },
    {
      id: "submit",
      title: t("Submit"),
      text: t("Submitting grades your files a last time and stops the clock. Afterwards you can replay the attempt."),
      actions: [{ label: t("Submit"), command: "benchwright.ui.submit" }],
    },
  ];
}

/** Which steps are done by what was seen, beside those that were done before. */
export function doneSteps(seen: Seen, before: ReadonlySet<StepId>): Set<StepId> {
  const done = new Set(before);
  const reached: [StepId, boolean][] = [
    ["read", seen.isStarted],
    ["error", seen.isStarted && seen.hasError],
    ["repair", done.has("error") && !seen.hasError],
    ["save", seen.hasVerdict],
    ["results", seen.hasVerdict && seen.showedResults],
    ["hint", seen.hints > 0],
    ["pass", seen.hasPassed],
    ["submit", seen.isSubmitted],
  ];
  for (const [id, isDone] of reached) if (isDone) done.add(id);
  // Who is further has no need of what is before.
  const last = seen.isSubmitted ? "submit" : seen.hasPassed ? "pass" : seen.hasFailed && done.has("repair") ? "save" : undefined;
  if (last) for (const { id } of steps().slice(0, steps().findIndex(({ id }) => id === last) + 1)) done.add(id);
  return done;
}

/** The page for what is done. */
export function guidePage(done: ReadonlySet<StepId>): GuidePage {
  const all = steps().map((step) => ({ ...step, isDone: done.has(step.id) }));
  const now = all.findIndex(({ isDone }) => !isDone);
  return { steps: all, now: now < 0 ? all.length : now };
}
