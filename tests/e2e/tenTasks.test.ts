import assert from "node:assert/strict";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Frame, Locator, Page } from "playwright-core";
import { faultsOfPage, faultsOfPages, wideFrames } from "./accessibility.ts";
import { Demo } from "./demo.ts";
import { PATIENCE_MS, type Editor } from "./editor.ts";
import { ARTIFACTS } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import type { Session } from "./session.ts";
import { signedIn } from "./signIn.ts";
import { starterFile } from "./starter.ts";
import { Stranger } from "./stranger.ts";

const [COUNTER, COUNTER_FILE] = ["Saturating up/down counter", "rtl/sat_counter.sv"];
const [FIFO, FIFO_FILE] = ["FIFO with level flags", "rtl/sync_fifo.sv"];
const STUDY = "A study of my own";
const PICTURES = join(ARTIFACTS, "ten-tasks");

const settings = {
  // As `./run` starts the editor.
  "benchwright.showAtStart": true,
  // For the pictures.
  "window.autoDetectColorScheme": true,
};

scenario("a stranger finishes ten tasks by the labels that are shown, each in few steps", { skip: ONLY_NIGHTLY, settings }, async (session) => {
  const { editor } = session;
  const stranger = new Stranger(editor.page);
  const faults: string[] = [];
  await rm(PICTURES, { recursive: true, force: true });
  await mkdir(PICTURES, { recursive: true });
  try {
    await editor.problem(COUNTER).waitFor();
    await stranger.task("solve a starter problem", 7, () => solve(editor, stranger));
    await keepPictures(editor.page, faults, "solve");
    await stranger.task("try a solved problem again", 3, () => tryAgain(editor, stranger));
    await keepPictures(editor.page, faults, "again");
    await stranger.task("see why a wrong solution fails", 4, () => seeWhy(editor, stranger));
    await keepPictures(editor.page, faults, "why");
    await stranger.task("see the signal when it fails", 1, () => seeSignal(editor, stranger));
    await keepPictures(editor.page, faults, "signal");
    await stranger.task("make a study", 9, () => makeStudy(session, stranger));
    await keepPictures(editor.page, faults, "make-study");
    await stranger.task("take part in it", 20, () => takePart(editor, stranger));
    await keepPictures(editor.page, faults, "take-part");
    await stranger.task("read its answer", 6, () => readAnswer(session, stranger));
    await keepPictures(editor.page, faults, "read-answer");
    await using demo = await Demo.open();
    const page = await signedIn(editor.page.context().browser()!, demo.url, demo.code, "Professor", { viewport: { width: 1440, height: 900 } });
    const teacher = stranger.at(page);
    await teacher.task("make an assignment", 7, () => assign(page, teacher));
    await keepPictures(page, faults, "assign");
    await teacher.task("correct a grade", 5, () => correctGrade(page, teacher));
    await keepPictures(page, faults, "grade");
    await teacher.task("find the worst question", 3, () => findWorst(page, teacher));
    await keepPictures(page, faults, "worst-question");
  } finally {
    console.log(stranger.table());
  }
  assert.deepEqual(stranger.excess(), []);
  assert.deepEqual(faults, []);
});

/** Keeps how a task ends in the light and in the dark, and what axe finds there. */
async function keepPictures(page: Page, faults: string[], task: string): Promise<void> {
  const workbench = page.locator(".monaco-workbench");
  const isEditor = (await workbench.count()) > 0;
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    if (isEditor) await page.locator(`.monaco-workbench.${colorScheme === "dark" ? "vs-dark" : "vs"}`).waitFor();
    // Pages of the editor are drawn again a little later.
    await page.waitForTimeout(700);
    const wrong = isEditor ? [...(await faultsOfPages(page)), ...(await wideFrames(page))] : await faultsOfPage(page);
    faults.push(...wrong.map((fault) => `${task}, ${colorScheme}: ${fault}`));
    await page.screenshot({ path: join(PICTURES, `${task}-${colorScheme}.png`) });
  }
}

/** Presses a button of a page of ours that is in sight. */
async function press(editor: Editor, stranger: Stranger, name: string): Promise<void> {
  let found: Locator | undefined;
  await until(editor.page, `No page in sight has the button ${name}.`, async () => {
    for (const frame of editor.page.frames()) {
      const button = frame.getByRole("button", { name, exact: true }).first();
      if ((await isInSight(frame)) && (await button.isVisible())) found = button;
    }
    return found !== undefined;
  });
  await stranger.click(found!);
}

/** Whether a frame is a page of ours, which VS Code puts into another frame, and not hidden. */
async function isInSight(frame: Frame): Promise<boolean> {
  const outer = frame.parentFrame();
  return outer?.parentFrame() ? (await outer.frameElement()).isVisible() : false;
}

/** Waits with short looks, since something is measured; a frame that goes meanwhile is no answer. */
async function until(page: Page, complaint: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo().catch(() => false))) {
    assert.ok(performance.now() < deadline, complaint);
    await page.waitForTimeout(10);
  }
}

async function write(editor: Editor, stranger: Stranger, file: string, text: string): Promise<void> {
  await stranger.click(editor.file(file));
  await editor.hasFocus(file);
  await stranger.write(() => editor.paste(text));
}

async function fill(stranger: Stranger, field: Locator, text: string): Promise<void> {
  await stranger.write(() => field.fill(text));
}

async function solve(editor: Editor, stranger: Stranger): Promise<void> {
  await stranger.click(editor.problem(COUNTER));
  await press(editor, stranger, "Start the Clock");
  await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);
  await write(editor, stranger, COUNTER_FILE, starterFile("saturating-counter", "hidden", "reference", COUNTER_FILE));
  await stranger.press("Control+S");
  await editor.webview(".headline.passed");
  await press(editor, stranger, "Submit");
  await stranger.click(editor.dialog().getByRole("button", { name: "Submit" }));
  await editor.sees(editor.statusBar("clock"), "Submitted");
}

async function tryAgain(editor: Editor, stranger: Stranger): Promise<void> {
  await stranger.click(editor.problem(COUNTER));
  await press(editor, stranger, "Try Again");
  await editor.codeLens().filter({ hasText: "Start the clock" }).waitFor();
  // A tab of the attempt before would look like this one's.
  assert.equal(await editor.page.locator(".tab", { hasText: "sat_counter.sv" }).count(), 1);
  assert.equal(await editor.page.locator(".tab", { hasText: "README.md" }).count(), 1);
  await press(editor, stranger, "Start the Clock");
  await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);
}

async function seeWhy(editor: Editor, stranger: Stranger): Promise<void> {
  await write(editor, stranger, COUNTER_FILE, starterFile("saturating-counter", "hidden", "wrong", "wraps", COUNTER_FILE));
  await stranger.press("Control+S");
  const results = await editor.webview(".headline.failed");
  await editor.sees(results.locator("main"), /stops_at_both_ends[\s\S]*Expected\s+1[\s\S]*Got\s+0/);
  await press(editor, stranger, "Explain the Failure");
  await editor.sees((await editor.webview("h1:text-is('Why it may fail')")).locator("body"), "count is 0, expected 1");
}

async function seeSignal(editor: Editor, stranger: Stranger): Promise<void> {
  await press(editor, stranger, "Show Waveform");
  const wave = await editor.webview(".wave-row.signal[aria-selected=true]");
  const signal = wave.locator(".wave-row.signal[aria-selected=true]");
  await editor.sees(signal, /count\s*0/);
  await editor.sees(wave.locator("header"), /Cursor: 190 ns/);
  await until(editor.page, "The signal is not drawn.", async () => (await signal.locator("canvas").evaluate(drawnShare)) > 0.9);
}

/** The share of a picture's columns in which anything is drawn. */
function drawnShare(canvas: HTMLCanvasElement): number {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d")!.getImageData(0, 0, width, height);
  const columns = new Set<number>();
  for (let pixel = 0; pixel < width * height; pixel += 1) if (data[4 * pixel + 3]! > 0) columns.add(pixel % width);
  return columns.size / width;
}

async function makeStudy({ editor, workspaces }: Session, stranger: Stranger): Promise<void> {
  await run(editor, stranger, "Benchwright: New Study…");
  await answer(editor, stranger, "Name of a folder for the study");
  await editor.hasFocus("study.yaml");
  const template = await readFile(join(workspaces, "my-study", "study.yaml"), "utf8");
  await stranger.write(() => editor.paste(withOwnWords(template)));
  await stranger.click(editor.page.getByRole("button", { name: "Check the Study" }).first());
  await stranger.click(editor.dialog().getByRole("button", { name: "Let a Participant Begin…" }));
  await answer(editor, stranger, "Pseudonym of who works on this machine");
  await editor.problem(STUDY).waitFor();
}

/** Runs a command by the palette. */
async function run(editor: Editor, stranger: Stranger, title: string): Promise<void> {
  await stranger.press("F1");
  await stranger.type(title, editor.choices().filter({ hasText: title }).first());
}

/** Takes what the box at the top proposes. */
async function answer(editor: Editor, stranger: Stranger, asked: string): Promise<void> {
  await editor.page.locator(".quick-input-widget .quick-input-message", { hasText: asked }).waitFor();
  await stranger.press("Enter");
}

/** The template for one participant, with one problem; nobody can help here, so it has one condition. */
function withOwnWords(template: string): string {
  return template
    .replace(/(?<=problems:\n)[\s\S]*(?=conditions:)/, "  - starter/sync-fifo\n")
    .replace("participants: 16", "participants: 1")
    .replace("latin-square", "random")
    .replace("<NAME AND INSTITUTION>", "Example Lab")
    .replace("<PURPOSE>", "learn how people write hardware")
    .replace("<CONTACT>", "lab@example.org");
}

async function takePart(editor: Editor, stranger: Stranger): Promise<void> {
  await stranger.click(editor.problem(STUDY));
  await press(editor, stranger, "I Agree");
  const forecast = await editor.webview("[name=minutes_without_ai]");
  await fill(stranger, forecast.locator("[name=minutes_without_ai]"), "20");
  await stranger.click(forecast.getByLabel("3", { exact: true }));
  await stranger.click(forecast.getByLabel("No", { exact: true }));
  await press(editor, stranger, "Save and Continue");
  await press(editor, stranger, "Open the Task");
  const task = await editor.webview("main button:text-matches('^Give Up')");
  await stranger.click(task.getByRole("button", { name: "Start the Clock" }));
  await editor.hasFocus(FIFO_FILE);
  await write(editor, stranger, FIFO_FILE, starterFile("sync-fifo", "hidden", "reference", FIFO_FILE));
  await press(editor, stranger, "Run Hidden Tests");
  await editor.webview(".headline.passed");
  await press(editor, stranger, "Submit");
  await stranger.click(editor.dialog().getByRole("button", { name: "Submit" }));
  const estimate = await editor.webview("[name=minutes]");
  await fill(stranger, estimate.locator("[name=minutes]"), "5");
  await stranger.click(estimate.getByLabel("2", { exact: true }));
  await stranger.click(estimate.getByLabel("No", { exact: true }));
  await press(editor, stranger, "Save and Continue");
  const last = await editor.webview("[name=years]");
  await fill(stranger, last.locator("[name=years]"), "7");
  await stranger.click(last.getByLabel("sometimes"));
  await press(editor, stranger, "Send My Answers");
  await editor.webview("h1:text-is('Thank you')");
}

async function readAnswer({ editor }: Session, stranger: Stranger): Promise<void> {
  await run(editor, stranger, "Benchwright: Write a Report…");
  await stranger.type("my-study", editor.choices().filter({ hasText: "my-study" }).first());
  await answer(editor, stranger, "Name of a folder for the report");
  const report = await editor.webview(`h1:text-is('${STUDY}')`);
  await report.getByRole("row", { name: /^alone 100 %/ }).first().waitFor();
}

async function assign(page: Page, teacher: Stranger): Promise<void> {
  await teacher.click(page.getByRole("link", { name: "Computer architecture (demo)" }));
  await teacher.click(page.getByRole("link", { name: "New assignment" }));
  await fill(teacher, page.getByRole("searchbox", { name: "Find" }), "fifo");
  await teacher.click(page.getByRole("listitem").filter({ visible: true, hasText: FIFO }).getByRole("checkbox"));
  await fill(teacher, page.getByLabel("Title"), "Buffers");
  await fill(teacher, page.getByLabel("Due", { exact: true }), "2100-01-15T18:00");
  await teacher.click(page.getByRole("button", { name: "Assign" }));
  await page.getByRole("row", { name: /^Buffers 1 at once 2100-01-15 18:00/ }).waitFor();
}

async function correctGrade(page: Page, teacher: Stranger): Promise<void> {
  await teacher.click(page.getByRole("link", { name: "Grades", exact: true }));
  await teacher.click(page.getByRole("row", { name: /^Barbara Liskov/ }).getByRole("link").first());
  const points = async (): Promise<number> => Number(await page.locator("main strong").first().innerText());
  const before = await points();
  const change = page.getByRole("group", { name: "Adjust the points" });
  await fill(teacher, change.getByLabel("Points to add"), "1");
  await fill(teacher, change.getByLabel("Reason"), "The statement was ambiguous.");
  await teacher.click(change.getByRole("button", { name: "Adjust" }));
  await page.getByRole("row", { name: /^Adjusted by Professor.*The statement was ambiguous\. \+1/ }).waitFor();
  assert.equal(await points(), before + 1);
}

async function findWorst(page: Page, teacher: Stranger): Promise<void> {
  await teacher.click(page.getByRole("link", { name: "How good the problems are" }).first());
  const head = page.getByRole("columnheader", { name: "Discrimination" });
  await teacher.click(head.getByRole("button"));
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  const worst = page.locator("tbody tr").first();
  const numbers = (await page.locator("tbody td:nth-child(6)").allInnerTexts()).filter(Boolean).map((text) => Number(text.replace("−", "-")));
  assert.equal(numbers[0], Math.min(...numbers));
  const name = await worst.getByRole("rowheader").innerText();
  await teacher.click(worst.getByRole("link"));
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  await page.getByRole("heading", { name: "Where tries fail" }).waitFor();
}
