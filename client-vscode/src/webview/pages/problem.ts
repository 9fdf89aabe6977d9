import { t } from "@vscode/l10n";
import type { PastAttempt } from "../../generated/protocol.ts";
import { clockTime } from "../../text/duration.ts";
import { connect } from "../connection.ts";
import { button, element, main } from "../elements.ts";
import { richText } from "../richText.ts";
import { numberTable, row, scrolled, table } from "../table.ts";

export interface ToProblem {
  readonly title: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly statement: string;
  /** Paths of the files that the tests take. */
  readonly expected: readonly string[];
  readonly hasUnfinished: boolean;
  /** The newest first. */
  readonly attempts: readonly (PastAttempt & { readonly standing: string })[];
  /** Of a design problem that was solved. */
  readonly best: BestSolution | undefined;
  /** The author's, in Markdown; empty while it is hidden. */
  readonly explanation: string;
}

export interface BestSolution {
  readonly attempt: PastAttempt;
  /** Of how many solutions it is the best. */
  readonly solutions: number;
  /** What was measured, with the solution's value and the reference's; empty if nothing was. */
  readonly measures: readonly (readonly [string, string, string])[];
  /** Paths of the files of the reference; undefined where it stays hidden. */
  readonly reference: readonly string[] | undefined;
}

export type FromProblem =
  | { readonly type: "command"; readonly command: "openProblem" | "openFresh" | "nextProblem" }
  | { readonly type: "command"; readonly command: "replay"; readonly attempt: string }
  | { readonly type: "files"; readonly attempt: string; readonly paths: readonly string[] }
  | { readonly type: "reference"; readonly attempt: string | undefined; readonly paths: readonly string[] }
  | { readonly type: "compare"; readonly older: string; readonly newer: string; readonly paths: readonly string[] };

const body = element("div");
main().append(body);

const send = connect<ToProblem, FromProblem>(show);

function show({ title, facts, statement, expected, hasUnfinished, attempts, best, explanation }: ToProblem): void {
  const begin = hasUnfinished ? t("Continue") : attempts.length > 0 ? t("Try Again") : t("Open Problem");
  const command = hasUnfinished || attempts.length === 0 ? "openProblem" : "openFresh";
  body.replaceChildren(
    element("h1", {}, title),
    element(
      "div",
      { class: "actions" },
      button(begin, () => send({ type: "command", command })),
      button(t("Next Problem"), () => send({ type: "command", command: "nextProblem" })),
    ),
    element("p", { class: "policy" }, t("Opening the problem shows its statement and does not start the clock.")),
    ...(best ? bestSolution(best, expected) : []),
    ...(explanation ? [element("details", {}, element("summary", {}, t("Explanation of the solution")), markdown(explanation))] : []),
    element("h2", {}, t("Your attempts")),
    attempts.length > 0 ? scrolled(t("Your attempts"), attemptTable(attempts, expected)) : element("p", {}, t("You have not tried this problem yet.")),
    element("h2", {}, t("Statement")),
    markdown(statement),
    element("h2", {}, t("About this problem")),
    element("dl", {}, ...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
  );
}

function markdown(text: string): HTMLElement {
  return element("section", { class: "statement" }, richText(() => undefined).block(text));
}

function bestSolution({ attempt, solutions, measures, reference }: BestSolution, paths: readonly string[]): Node[] {
  const begun = localTime(attempt.begun);
  const choice =
    solutions > 1 && measures.length > 0
      ? t("Of your {0} solutions, the one with the fewest gates and then the shortest path: begun {1}.", solutions, begun)
      : t("Begun {0}.", begun);
  const compared = attempt.hasTexts ? attempt.attempt : undefined;
  const actions = [
    ...(attempt.hasTexts ? [button(t("Show Files"), () => send({ type: "files", attempt: attempt.attempt, paths }))] : []),
    ...(reference
      ? [
          button(compared === undefined ? t("Show the Reference") : t("Compare With the Reference"), () =>
            send({ type: "reference", attempt: compared, paths: reference }),
          ),
        ]
      : []),
  ];
  return [
    element("h2", {}, t("Your best solution, beside the reference")),
    element("p", {}, choice),
    measures.length > 0
      ? scrolled(t("Measure"), numberTable([t("Measure"), t("Yours"), t("Reference")], measures))
      : element("p", {}, t("It is not measured yet, or can't be synthesised here.")),
    ...(reference ? [] : [element("p", { class: "policy" }, t("The reference itself is not shown."))]),
    element("div", { class: "actions" }, ...actions),
  ];
}

function localTime(moment: string): string {
  return new Date(moment).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
}

function attemptTable(attempts: ToProblem["attempts"], paths: readonly string[]): HTMLElement {
  const rows = attempts.map((attempt, number) => {
    const older = attempts.slice(number + 1).find((one) => one.hasTexts);
    const actions = [
      ...(attempt.hasTexts ? [button(t("Show Files"), () => send({ type: "files", attempt: attempt.attempt, paths }))] : []),
      ...(attempt.hasTexts && older
        ? [button(t("Compare With the One Before"), () => send({ type: "compare", older: older.attempt, newer: attempt.attempt, paths }))]
        : []),
      button(t("Replay"), () => send({ type: "command", command: "replay", attempt: attempt.attempt })),
    ];
    return row(
      localTime(attempt.begun),
      attempt.standing,
      attempt.activeS === null ? "–" : clockTime(attempt.activeS),
      String(attempt.runs),
      element("div", { class: "actions" }, ...actions),
    );
  });
  return table([t("Begun"), t("State"), t("Time on the clock"), t("Runs"), t("Actions")], rows);
}
