import { t } from "@vscode/l10n";
import { clockTime } from "../../text/duration.ts";
import type { OwnNumber } from "../../generated/protocol.ts";
import { isByPerson, known, makerText, othersText, resultText } from "../../text/numberText.ts";
import { progress, type NumbersGroup, type Spent, type Sum } from "../../attempts/progress.ts";
import { columns, dividedBar, legend } from "../charts.ts";
import { connect } from "../connection.ts";
import { element, emptyState, main } from "../elements.ts";
import { row, scrolled, table } from "../table.ts";

export interface ToNumbers {
  readonly groups: readonly NumbersGroup[];
}

connect<ToNumbers, never>(({ groups }) => {
  const filled = groups.filter(({ attempts }) => attempts.length > 0);
  const heading = element("h1", { id: "my-numbers" }, t("My Numbers"));
  const none = emptyState(t("There are no attempts yet. Open a problem to begin."));
  const content = filled.length === 0 ? [none] : [...overview(filled.flatMap(({ attempts }) => attempts.filter(isByPerson))), ...filled.flatMap(groupPart)];
  main().replaceChildren(heading, ...content, ...(filled.length > 0 ? [element("p", { class: "policy" }, EXPLANATION)] : []));
});

const EXPLANATION =
  t(
"Active time is the time on the clock; of a period without activity, at most the study's threshold counts (two minutes " +
  "outside studies). Writing is up to ten seconds before each edit; waiting is the time of hidden tests in which nothing was " +
  "written; the rest is reading and thinking. First pass is the active time until the hidden tests passed for the first time. " +
  "Actual / forecast is that time divided by your forecast: 2 is twice as long. From assistants is the share of the inserted " +
  "text that came from completions or a chat. Made by says who changed and asked for something; what an agent made alone, " +
  "and what nobody can say who made, is in no sum.",
);

const RESULTS = [t("Problem"), t("Result"), t("Score"), t("Active time"), t("First pass"), t("Runs")];
const HELP = [t("Problem"), t("Condition"), t("Made by"), t("Forecast"), t("Actual / forecast"), t("From assistants")];

function overview(attempts: readonly OwnNumber[]): Node[] {
  const { all, weeks, packs, categories, skills } = progress(attempts);
  return [
    element("p", {}, summary(all)),
    element("h2", {}, t("Where time went")),
    dividedBar(spentText(all.spent), parts(all.spent)),
    legend(parts(all.spent).map(({ name }) => name)),
    ...(weeks.length > 1 ? weekPart(weeks) : []),
    ...sums(t("By problem pack"), t("Pack"), packs),
    ...sums(t("By category"), t("Category"), categories),
    ...sums(t("By skill"), t("Skill"), skills),
  ];
}

function summary({ attempts, passed, activeMin }: Sum): string {
  const tries = attempts === 1 ? t("1 attempt") : t("{0} attempts", attempts);
  const passes = passed === null ? [] : [t("{0} passed", passed)];
  const time = activeMin === null ? [] : [t("{0} of active time", clockTime(60 * activeMin))];
  return `${[tries, ...passes, ...time].join(", ")}.`;
}

function parts({ writing, waiting, reading }: Spent): { name: string; value: number }[] {
  const named: [string, number][] = [[t("Writing"), writing], [t("Waiting"), waiting], [t("Reading"), reading]];
  return named.map(([name, value]) => ({ name: `${name} ${clockTime(60 * value)}`, value }));
}

function spentText(spent: Spent): string {
  return `${t("Where time went")}: ${parts(spent).map(({ name }) => name).join(", ")}`;
}

function weekPart(weeks: readonly Sum[]): Node[] {
  const values = weeks.map(({ spent }) => [spent.writing, spent.waiting, spent.reading]);
  const rows = weeks.map((week) => sumRow(week.name, week));
  return [
    element("h2", {}, t("By week")),
    columns(t("Active time by week; the same as a table is below"), weeks.map(({ name }) => name), values),
    details(t("Weeks as a table"), table([t("Week from"), ...SUM_COLUMNS], rows)),
  ];
}

const SUM_COLUMNS = [t("Attempts"), t("Passed"), t("Active time"), t("First pass (median)"), t("Writing"), t("Waiting"), t("Reading")];

function sums(heading: string, name: string, all: readonly Sum[]): Node[] {
  if (all.length === 0) return [];
  return [element("h2", {}, heading), scrolled(heading, table([name, ...SUM_COLUMNS], all.map((one) => sumRow(one.name, one))))];
}

function sumRow(name: string, { attempts, passed, activeMin, firstPassMin, spent }: Sum): HTMLTableRowElement {
  const times = [activeMin, firstPassMin, spent.writing, spent.waiting, spent.reading];
  return row(name, String(attempts), known(passed, String), ...times.map((minutes) => known(minutes, (one) => clockTime(60 * one))));
}

const WITH_AGENTS = [t("Problem"), t("Working"), t("Supervising"), t("Waiting"), t("Away")];

/** How a person's time with agents is divided, of the attempts that have any. */
function timeWithAgents(heading: string, attempts: readonly OwnNumber[]): Node[] {
  const rows = attempts.flatMap(({ title, withAgents }) => {
    if (!withAgents) return [];
    const { workingMin, supervisingMin, waitingMin, awayMin } = withAgents;
    return [row(title, ...[workingMin, supervisingMin, waitingMin, awayMin].map((minutes) => clockTime(60 * minutes)))];
  });
  if (rows.length === 0) return [];
  const explained = t(
    "With agents: supervising is being in this window while an agent was active; waiting is the time of agents and hidden " +
      "tests while you were elsewhere, or of hidden tests alone; away is the rest of the time elsewhere.",
  );
  return [scrolled(`${heading}: ${t("time with agents")}`, table(WITH_AGENTS, rows)), element("p", { class: "policy" }, explained)];
}

function groupPart({ heading, attempts }: NumbersGroup): Node[] {
  const results = attempts.map((one) =>
    row(
      one.title,
      resultText(one),
      known(one.score, (score) => score.toFixed(2)),
      known(one.activeMin, (minutes) => clockTime(60 * minutes)),
      known(one.firstPassMin, (minutes) => clockTime(60 * minutes)),
      String(one.runs),
    ),
  );
  const help = attempts.map((one) =>
    row(
      one.title,
      one.condition,
      makerText(one.workedAs),
      known(one.forecastMin, (minutes) => t("{0} min", minutes)),
      known(one.forecastRatio, (ratio) => ratio.toPrecision(2)),
      known(one.shareByAssistant, (share) => `${Math.round(100 * share)} %`),
    ),
  );
  const others = attempts.flatMap(({ title, others }) => (others ? [element("li", {}, `${title}: ${othersText(others)}`)] : []));
  return [
    element("h2", {}, heading),
    scrolled(`${heading}: ${t("results")}`, table(RESULTS, results)),
    scrolled(`${heading}: ${t("forecasts and help")}`, table(HELP, help)),
    ...timeWithAgents(heading, attempts),
    ...(others.length > 0 ? [element("p", {}, t("How others did:")), element("ul", {}, ...others)] : []),
  ];
}

function details(title: string, content: Node): HTMLElement {
  return element("details", {}, element("summary", {}, title), scrolled(title, content));
}
