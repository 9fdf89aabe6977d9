import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Editor } from "./editor.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";

const COUNTER = "Saturating up/down counter";
const COUNTER_FILE = "rtl/sat_counter.sv";
const PROBLEMS = [
  ["FIFO with level flags", "fifo-with-level-flags", "sync_fifo.sv"],
  ["Round-robin arbiter", "round-robin-arbiter", "rr_arbiter.sv"],
  ["Faults in a skid buffer", "faults-in-a-skid-buffer", "skid_buffer.sv"],
  [COUNTER, "saturating-updown-counter", "sat_counter.sv"],
] as const;
const ROUNDS = 7;

/** How long it took until something was shown, in seconds; VS Code's own share has no goal. */
interface Goal {
  readonly name: string;
  readonly most?: number;
}

const LIST_OF_VSCODE: Goal = { name: "page → VS Code's status bar" };
const LIST: Goal = { name: "page → list", most: 3 };
const LIST_READ: Goal = { name: "page → list, read again" };
const FILE: Goal = { name: "click → file, which VS Code shows" };
const STATEMENT: Goal = { name: "click → statement", most: 0.5 };
const SAVED: Goal = { name: "save → saved, which VS Code shows" };
const RUNNING: Goal = { name: "save → running", most: 0.3 };

/** Times of several rounds. */
class Stopwatch {
  private readonly times = new Map<Goal, number[]>();

  /** Notes when each of several things is there, from now or from an earlier moment. */
  async follow(things: readonly (readonly [Goal, Promise<unknown>])[], begun = performance.now()): Promise<void> {
    await Promise.all(
      things.map(async ([goal, thing]) => {
        await thing;
        const times = this.times.get(goal) ?? [];
        this.times.set(goal, [...times, (performance.now() - begun) / 1000]);
      }),
    );
  }

  table(): string {
    return [...this.times].map(([{ name, most }, times]) => `${name}: median ${median(times).toFixed(2)} s of ${times.map((time) => time.toFixed(2)).join(" ")}${most ? `, goal ${most} s` : ""}`).join("\n");
  }

  /** What takes far longer than its goal, also for a machine with much else to do. */
  excess(): string[] {
    return [...this.times].filter(([{ most }, times]) => most !== undefined && median(times) > 4 * most).map(([{ name }]) => name);
  }
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((one, another) => one - another);
  return sorted[Math.floor(sorted.length / 2)]!;
}

scenario("the list, a statement and a running test are soon there", { skip: ONLY_NIGHTLY, settings: { "benchwright.showAtStart": true } }, async ({ editor }) => {
  const watch = new Stopwatch();
  try {
    await editor.problem(COUNTER).waitFor();
    await loadPages(editor, watch);
    await openStatements(editor, watch);
    await saveDesigns(editor, watch);
  } finally {
    console.log(watch.table());
  }
  assert.deepEqual(watch.excess(), []);
});

async function loadPages(editor: Editor, watch: Stopwatch): Promise<void> {
  const { page } = editor;
  // The first loading fills the browser's cache.
  await page.reload();
  await editor.problem(COUNTER).waitFor();
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    await page.reload({ waitUntil: "commit" });
    await watch.follow(
      [
        [LIST_OF_VSCODE, page.locator("#status\\.problems").waitFor()],
        [LIST, editor.problem(COUNTER).waitFor()],
        [LIST_READ, editor.listOfLastTime().waitFor().then(() => editor.listIsRead())],
      ],
      begun,
    );
  }
}

async function openStatements(editor: Editor, watch: Stopwatch): Promise<void> {
  // The preview of Markdown is VS Code's, and loads with the first statement.
  for (const [title, heading, file] of PROBLEMS) await openStatement(editor, undefined, title, heading, file);
  for (let round = 0; round < 2; round += 1) {
    for (const [title, heading, file] of PROBLEMS) await openStatement(editor, watch, title, heading, file);
  }
}

async function openStatement(editor: Editor, watch: Stopwatch | undefined, title: string, heading: string, file: string): Promise<void> {
  await editor.problem(title).click();
  await (watch ?? new Stopwatch()).follow([
    [FILE, editor.page.locator(`.editor-instance .monaco-editor[data-uri$="/${file}"]`).first().waitFor()],
    [STATEMENT, heads(editor, heading)],
  ]);
}

/** Waits until a statement is shown; with short looks, since something is measured. */
async function heads(editor: Editor, heading: string): Promise<void> {
  const deadline = performance.now() + 90_000;
  while (performance.now() < deadline) {
    const frames = editor.page.frames().filter((frame) => frame.parentFrame()?.parentFrame());
    const shown = await Promise.all(frames.map((frame) => frame.locator(`h1#${heading}`).first().isVisible().catch(() => false)));
    if (shown.includes(true)) return;
    await editor.page.waitForTimeout(5);
  }
  throw new Error(`No page shows ${heading}.`);
}

async function saveDesigns(editor: Editor, watch: Stopwatch): Promise<void> {
  await editor.startClock();
  const verdict = editor.statusBar("verdict");
  const unsaved: Locator = editor.page.locator(".tab.active.dirty");
  for (let round = 0; round < ROUNDS; round += 1) {
    await editor.typeAtLine(COUNTER_FILE, 1, ` // round ${round}`);
    await unsaved.waitFor();
    const begun = performance.now();
    await editor.page.keyboard.press("Control+S");
    await watch.follow(
      [
        [SAVED, unsaved.waitFor({ state: "hidden" })],
        [RUNNING, verdict.locator(".codicon-modifier-spin").waitFor()],
      ],
      begun,
    );
    await editor.notRunning();
    await editor.sees(verdict, /\d+\/\d+ passed/);
  }
}
