import assert from "node:assert/strict";
import { expectedCvdp } from "./expectedCvdp.ts";
import { expectedReport } from "./expectedReport.ts";
import { expectedAttempts, expectedAttemptTable, expectedEvents } from "./expectedRows.ts";
import { assertAlike } from "./likeness.ts";
import { plain, shownTables, type Report } from "./studyReport.ts";
import type { Walked } from "./walkedStudy.ts";

/** Every number of every file of the report, against what was done and said, and the times of the logs. */
export function checkReport(report: Report, walked: Walked): void {
  const { arbiter, fifo, uart } = walked;
  // What is expected below holds for whoever gave up before the others were through.
  assert.ok(uart.clockSeconds() < Math.min(arbiter.clockSeconds("run_finished"), fifo.clockSeconds()));

  const expected = expectedReport(walked);
  assertAlike(report.numbers, expected, "report.json");
  checkRows(report.attempts, expectedAttempts(walked), "attempts.csv");
  checkRows(report.events, expectedEvents(walked), "events.csv");
  assertAlike(report.cvdp, expectedCvdp(walked, report.numbers.made), "cvdp");

  const sections = Object.values(expected.sections);
  const tables = sections.flatMap(({ tables }) => tables).map((table) => ({
    ...table,
    rows: table.rows.map((row) => row.map((cell) => (cell as string | number).toLocaleString("en-US"))),
  }));
  assertAlike(shownTables(report.page), [...tables, expectedAttemptTable(walked)], "the page's tables");
  const text = plain(report.page);
  const sentences = sections.flatMap(({ says, without }) => [...says, ...(without ? [without] : [])]);
  // Words between backticks are set as code there.
  const unsaid = sentences.filter((said) => !text.includes(String(said).replaceAll("`", "")));
  assert.deepEqual(unsaid, [], "what the page does not say");
}

/** Checks every cell; numbers are read as such. */
function checkRows(
  rows: readonly Readonly<Record<string, string>>[],
  expected: readonly Readonly<Record<string, string | number | RegExp>>[],
  what: string,
): void {
  const read = rows.map((row, place) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => {
        const isNumber = typeof expected[place]?.[name] === "number" && cell !== "";
        return [name, isNumber ? Number(cell) : cell];
      }),
    ),
  );
  assertAlike(read, expected, what, 1e-5);
}
