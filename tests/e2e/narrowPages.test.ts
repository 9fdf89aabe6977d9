import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./installation.ts";
import { launch } from "./session.ts";

/** A word that does not fit into a narrow column: names and paths are as long. */
const LONG = "/home/somebody/benchwright-workspaces/starter/a_name_of_a_problem_that_is_too_long_for_a_column/rtl/fifo.sv";

const PARAGRAPHS = `# ${LONG}\n\n${LONG}\n\n- path: ${LONG}\n\n> ${LONG}\n\n\`\`\`\n${LONG}\n\`\`\`\n\n`;
const TABLE = `| name | status | version | needed for |\n| - | - | - | - |\n| ${LONG} | ok | ${LONG} | \`${LONG}\` |\n`;

const STANDING = { standing: "passed", headline: LONG, sign: "✓", run: 1 };
const ATTEMPT = { attempt: "a", view: STANDING, begun: "2026-01-01T00:00:00Z", activeS: 3600, runs: 2, ended: true, hasTexts: true };

/** Each page with what the extension would send it. */
const MESSAGES = {
  text: { markdown: PARAGRAPHS + TABLE, note: LONG },
  problem: {
    title: LONG,
    facts: [["Licence", LONG]],
    statement: PARAGRAPHS + TABLE,
    expected: [LONG],
    hasUnfinished: false,
    attempts: [1, 2].map(() => ({ ...ATTEMPT, standing: "✓ passed, run 1" })),
    best: { attempt: ATTEMPT, solutions: 2, measures: [["Gates on the longest path", "1,234", "1,234"]], reference: [LONG] },
    explanation: PARAGRAPHS,
  },
  results: {
    type: "page",
    page: {
      ...{ title: LONG, outcome: "failed", sign: "✗", headline: LONG, message: LONG, log: LONG, policy: LONG },
      facts: [["Gates", "109, the reference 109"], ["Commit", LONG]],
      compiler: [{ path: LONG, line: 1, text: LONG }],
      failed: [{ name: LONG, message: LONG, values: { expected: "1".repeat(200), got: LONG }, simTime: "35 ns" }],
      passed: [LONG],
      hints: [["Hint 1", LONG]],
      actions: [{ command: "run", label: "Run Hidden Tests" }, { command: "submit", label: "Submit" }],
    },
  },
};

test("no page of ours is wider than a narrow column, however long its names are", async () => {
  const client = join(ROOT, "client-vscode");
  const styles = await Promise.all(["tokens", "webview"].map((name) => readFile(join(client, "media", `${name}.css`), "utf8")));
  const browser = await launch();
  try {
    const wide: string[] = [];
    for (const [name, message] of Object.entries(MESSAGES)) {
      const page = await browser.newPage();
      page.on("pageerror", (error) => wide.push(`${name}: ${error.message}`));
      await page.setContent(`<!DOCTYPE html><html lang="en"><style>${styles.join("\n")}</style><main></main>`);
      await page.evaluate("window.acquireVsCodeApi = () => ({ postMessage: () => undefined })");
      await page.addScriptTag({ path: join(client, "out", "webview", `${name}.js`) });
      await page.evaluate(`window.dispatchEvent(new MessageEvent("message", { data: ${JSON.stringify(message)} }))`);
      await page.locator("main", { hasText: LONG }).waitFor();
      await page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true");
      for (const width of [220, 332, 390, 1024]) {
        await page.setViewportSize({ width, height: 700 });
        const inside = await page.evaluate<number>("document.documentElement.scrollWidth");
        if (inside > width) wide.push(`${name}: ${inside} pixels wide in a window of ${width}`);
      }
      await page.close();
    }
    assert.deepEqual(wide, []);
  } finally {
    await browser.close();
  }
});
