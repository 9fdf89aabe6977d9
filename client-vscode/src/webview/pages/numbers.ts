import { clockTime } from "../../duration.ts";
import type { OwnNumber } from "../../generated/protocol.ts";
import { known, othersText, resultText } from "../../numberText.ts";
import { progress, type NumbersGroup, type Spent, type Sum } from "../../progress.ts";
import { columns, dividedBar, legend } from "../charts.ts";
import { connect } from "../connection.ts";
import { element, main } from "../elements.ts";
import { row, table } from "../table.ts";

export interface ToNumbers {
  readonly groups: readonly NumbersGroup[];
}

connect<ToNumbers, never>(({ groups }) => {
  const filled = groups.filter(({ attempts }) => attempts.length > 0);
  const heading = element("h1", { id: "my-numbers" }, "My Numbers");
  const none = element("p", {}, "There are no attempts yet. Open a problem to begin.");
  const content = filled.length === 0 ? [none] : [...overview(filled.flatMap(({ attempts }) => attempts)), ...filled.flatMap(groupPart)];
  main().replaceChildren(heading, ...content, ...(filled.length > 0 ? [element("p", { class: "policy" }, EXPLANATION)] : []));
});

const EXPLANATION =
  "Active time is the time on the clock; of a period without activity, at most the study's threshold counts (two minutes " +
  "outside studies). Writing is up to ten seconds before each edit; waiting is the time of hidden tests in which nothing was " +
  "written; the rest is reading and thinking. First pass is the active time until the hidden tests passed for the first time. " +
  "Actual / forecast is that time divided by your forecast: 2 is twice as long. From assistants is the share of the inserted " +
  "text that came from completions or a chat.";

const RESULTS = ["Problem", "Result", "Score", "Active time", "First pass", "Runs"];
const HELP = ["Problem", "Condition", "Forecast", "Actual / forecast", "From assistants"];

function overview(attempts: readonly OwnNumber[]): Node[] {
  const { all, weeks, packs, categories, skills } = progress(attempts);
  return [
    element("p", {}, summary(all)),
    element("h2", {}, "Where time went"),
    dividedBar(spentText(all.spent), parts(all.spent)),
    legend(parts(all.spent).map(({ name }) => name)),
    ...(weeks.length > 1 ? weekPart(weeks) : []),
    ...sums("By problem pack", "Pack", packs),
    ...sums("By category", "Category", categories),
    ...sums("By skill", "Skill", skills),
  ];
}

function summary({ attempts, passed, activeMin }: Sum): string {
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  return `${tries}${known(passed, (count) => `, ${count} passed`).replace("–", "")}, ${clockTime(60 * activeMin)} of active time.`;
}

function parts({ writing, waiting, reading }: Spent): { name: string; value: number }[] {
  const named: [string, number][] = [["Writing", writing], ["Waiting", waiting], ["Reading", reading]];
  return named.map(([name, value]) => ({ name: `${name} ${clockTime(60 * value)}`, value }));
}

function spentText(spent: Spent): string {
  return `Where time went: ${parts(spent).map(({ name }) => name).join(", ")}`;
}

function weekPart(weeks: readonly Sum[]): Node[] {
  const values = weeks.map(({ spent }) => [spent.writing, spent.waiting, spent.reading]);
  const rows = weeks.map((week) => sumRow(week.name, week));
  return [
    element("h2", {}, "By week"),
    columns("Active time by week; the same as a table is below", weeks.map(({ name }) => name), values),
    details("Weeks as a table", table(["Week from", ...SUM_COLUMNS], rows)),
  ];
}

const SUM_COLUMNS = ["Attempts", "Passed", "Active time", "First pass (median)", "Writing", "Waiting", "Reading"];

function sums(heading: string, name: string, all: readonly Sum[]): Node[] {
  if (all.length === 0) return [];
  return [element("h2", {}, heading), scrolled(heading, table([name, ...SUM_COLUMNS], all.map((one) => sumRow(one.name, one))))];
}

function sumRow(name: string, { attempts, passed, activeMin, firstPassMin, spent }: Sum): HTMLTableRowElement {
  const times = [activeMin, firstPassMin, spent.writing, spent.waiting, spent.reading];
  return row(name, String(attempts), known(passed, String), ...times.map((minutes) => known(minutes, (one) => clockTime(60 * one))));
}

function groupPart({ heading, attempts }: NumbersGroup): Node[] {
  const results = attempts.map((one) =>
    row(
      one.title,
      resultText(one),
      known(one.score, (score) => score.toFixed(2)),
      clockTime(60 * one.activeMin),
      known(one.firstPassMin, (minutes) => clockTime(60 * minutes)),
      String(one.runs),
    ),
  );
  const help = attempts.map((one) =>
    row(
      one.title,
      one.condition,
      known(one.forecastMin, (minutes) => `${minutes} min`),
      known(one.forecastRatio, (ratio) => ratio.toPrecision(2)),
      known(one.shareByAssistant, (share) => `${Math.round(100 * share)} %`),
    ),
  );
  const others = attempts.flatMap(({ title, others }) => (others ? [element("li", {}, `${title}: ${othersText(others)}`)] : []));
  return [
    element("h2", {}, heading),
    scrolled(`${heading}: results`, table(RESULTS, results)),
    scrolled(`${heading}: forecasts and help`, table(HELP, help)),
    ...(others.length > 0 ? [element("p", {}, "How others did:"), element("ul", {}, ...others)] : []),
  ];
}

/** A table that is wider than a narrow window is scrolled by itself, also by keyboard. */
function scrolled(label: string, content: Node): HTMLElement {
  return element("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": label }, content);
}

function details(title: string, content: Node): HTMLElement {
  return element("details", {}, element("summary", {}, title), scrolled(title, content));
}
