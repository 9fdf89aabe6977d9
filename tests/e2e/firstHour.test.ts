import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { faultsInLooks, LOOK_NAMES, WIDTHS } from "./accessibility.ts";
import { Album, SMALL } from "./album.ts";
import { benchwright, listAttempts } from "./commandLine.ts";
import type { Editor } from "./editor.ts";
import { installed, ROOT } from "./installation.ts";
import { Participant } from "./participant.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import type { Session } from "./session.ts";
import { starterFile } from "./starter.ts";

const WHOLE = process.env.BENCHWRIGHT_NIGHTLY ? undefined : "./test first-hour plays all of it";

const COUNTER = "rtl/sat_counter.sv";
const TITLE = "Saturating up/down counter";

const STUDY = `
study: first-study
title: One task
problems: [starter/saturating-counter]
conditions: [{ name: alone, solver: human }]
participants: [P01]
randomisation: { unit: task, order: random, seed: 3 }
limits: { time_minutes: 30, runs: 5 }
forecasts: [minutes, difficulty, prior_exposure, success]
self_estimates: [minutes, difficulty, external_help, success]
questionnaire:
  - { id: years, ask: "For how many years have you written Verilog?", kind: number }
  - { id: liked, ask: "Did you like the task?", kind: yes-no }
  - { id: remarks, ask: "What else do you want to tell us?", kind: text, required: false }
consent:
  version: "1"
  text: |
    We study **how people write hardware**.

    You may stop at any time.
`;

const start = {
  settings: {
    "benchwright.showAtStart": true,
    "window.autoDetectColorScheme": true,
    // Its text is then in the page.
    "terminal.integrated.gpuAcceleration": "off",
    // As ./run sets it.
    "terminal.integrated.env.linux": { PATH: `${dirname(installed().benchwright)}:\${env:PATH}` },
  },
};

scenario("on a small screen, from the first steps to a result, nothing lacks a name or runs out of its page", { ...start, skip: ONLY_NIGHTLY }, async (session) => {
  const album = await Album.start(session, "first-minutes");
  await firstSteps(session.editor, album);
  await design(session, album);
  album.close();
});

scenario(
  "the first hour of a new user: a design, a question of each format, doctor and a terminal",
  { ...start, skip: WHOLE },
  async (session) => {
    const album = await Album.start(session, "first-hour");
    await firstSteps(session.editor, album);
    await design(session, album);
    await questions(session.editor, album);
    await doctor(session.editor, album);
    await terminal(session.editor, album);
    album.close();
  },
);

scenario(
  "the first study of a new user, from its consent to its report",
  {
    ...start,
    skip: WHOLE,
    before: (folder) => writeFile(join(folder, "study.yaml"), STUDY),
  },
  async (session) => {
    const album = await Album.start(session, "first-study");
    await study(session, album);
    await report(session, album);
    album.close();
  },
);

async function firstSteps(editor: Editor, album: Album): Promise<void> {
  await editor.sees(editor.problem(TITLE), "Saturating");
  await editor.sees(editor.page.locator(".gettingStartedContainer"), /Choose a problem[\s\S]*Submit/);
  await album.take("first-steps");
  await album.takeHard("first-steps");
  await editor.problem(TITLE).hover();
  await editor.page.locator(".monaco-hover:not(.hidden)").first().waitFor();
  await album.take("problem-hover");
}

/** One design: broken, failed, passed, submitted. */
async function design(session: Session, album: Album): Promise<void> {
  const { editor } = session;
  await editor.openProblem(TITLE);
  await editor.file(COUNTER).waitFor();
  await editor.webview("h1#saturating-updown-counter");
  await album.take("design-opened");
  await editor.startClock();
  await editor.typeAtLine(COUNTER, 17, "\noops");
  await editor.squiggles().first().waitFor();
  await editor.openProblemsPanel();
  await editor.sees(editor.problemsPanel(), "slang");
  await album.take("design-error");
  await editor.pasteOver(COUNTER, starterFile("saturating-counter", "hidden", "wrong", "wraps", COUNTER));
  await editor.save();
  await editor.webview(".headline.failed");
  await album.take("design-failed");
  await album.takeHard("design-failed");
  await editor.pasteOver(COUNTER, starterFile("saturating-counter", "hidden", "reference", COUNTER));
  await editor.save();
  await editor.webview(".headline.passed");
  await album.take("design-passed");
  await editor.command("Benchwright: Submit");
  await editor.dialog().waitFor();
  await album.take("design-submit");
  await editor.confirm("Submit");
  await editor.notification("submitted").waitFor();
  await album.take("design-submitted");
  await editor.command("Notifications: Clear All Notifications");
}

/** A question of each format. */
async function questions(editor: Editor, album: Album): Promise<void> {
  const { keyboard } = editor.page;
  await editor.closePanel();
  await question(editor, "Cycles of a short program");
  await keyboard.press("ArrowDown");
  await editor.save();
  await editor.sees(editor.statusBar("verdict"), /correct/);
  await album.take("question-choice");
  await album.takeHard("question-choice");
  await question(editor, "Which circuit is this?");
  await album.take("question-figure");
  await question(editor, "Peak memory bandwidth");
  await keyboard.type("25600 MB/s");
  await editor.save();
  await editor.sees(editor.statusBar("verdict"), /correct/);
  await album.take("question-blank");
  await question(editor, "Synonyms in a cache");
  await album.take("question-assertion");
  await question(editor, "Why a reorder buffer?");
  await keyboard.type("A precise exception needs program order.");
  await editor.save();
  await album.take("question-open-ended");
  await album.takeHard("question-open-ended");
  await question(editor, "Two stores, two loads");
  await album.take("question-free-response");
}

async function question(editor: Editor, title: string): Promise<void> {
  await editor.command("View: Close All Editors");
  await editor.commandAndChoose("Benchwright: Open Problem…", title);
  const form = await editor.webview("form input:not([type=hidden]), form textarea");
  await editor.startClock();
  await editor.focusForm(form);
}

async function doctor(editor: Editor, album: Album): Promise<void> {
  await editor.command("View: Close All Editors");
  await editor.command("Benchwright: Doctor");
  await editor.sees((await editor.webview("table")).locator("body"), "icarus-13");
  await album.take("doctor");
  await album.takeHard("doctor");
}

/** A terminal in which a statement's commands work as they are written. */
async function terminal(editor: Editor, album: Album): Promise<void> {
  const { page } = editor;
  await editor.command("Terminal: Create New Terminal");
  await page.locator(".terminal.xterm").first().click();
  await page.keyboard.type("benchwright shell iverilog -V | head -n 1\n");
  await editor.sees(page.locator(".terminal .xterm-rows").first(), /Icarus Verilog version/);
  await album.take("terminal");
  await editor.closePanel();
}

/** A study with one task and one participant. */
async function study(session: Session, album: Album): Promise<void> {
  const { editor, folder } = session;
  const participant = new Participant(editor);
  await benchwright(folder, "study", "run", join(folder, "study.yaml"), "--participant", "P01");
  await editor.openBenchwrightView();
  await editor.page.mouse.move(SMALL.width / 2, 0);
  await editor.command("View: Close All Editors");
  await editor.command("Benchwright: Refresh Problem List");
  await editor.command("Benchwright: Take Part in a Study");
  const consent = await participant.page("Do you want to take part?");
  await album.take("study-consent");
  await album.takeHard("study-consent");
  await participant.press(consent, "I Agree");
  const forecast = await participant.page(`What do you expect of “${TITLE}”?`);
  await album.take("study-forecast");
  await album.takeHard("study-forecast");
  const expected = { minutes_without_ai: "12", difficulty: "2", prior_exposure: "similar", success: "75" };
  await participant.fillIn(forecast, expected);
  await participant.press(await participant.page(`Next: ${TITLE}`), "Open the Task");
  const work = await participant.page(TITLE);
  await album.take("study-task");
  await album.takeHard("study-task");
  await participant.press(work, "Start the Clock");
  await editor.hasFocus(COUNTER);
  await editor.pasteOver(COUNTER, starterFile("saturating-counter", "hidden", "reference", COUNTER));
  await editor.command("Benchwright: Run Hidden Tests");
  await editor.sees(editor.statusBar("verdict"), /(\d+)\/\1 passed/);
  await editor.command("Benchwright: Submit");
  await editor.confirm("Submit");
  const estimate = await participant.page("How was it?");
  await album.take("study-estimate");
  await album.takeHard("study-estimate");
  await participant.fillIn(estimate, { minutes: "10", difficulty: "3", external_help: "no", success: "95" });
  const last = await participant.page("A few questions at the end");
  await album.take("study-questions");
  await participant.fillIn(last, { years: "7", liked: "yes" });
  await participant.page("Thank you");
  await album.take("study-thanks");
  await editor.command("View: Close All Editors");
  await editor.command("Benchwright: Show My Numbers");
  await editor.webview("h1#my-numbers");
  await album.take("my-numbers");
  await album.takeHard("my-numbers");
  await editor.command("View: Close All Editors");
  await editor.commandAndChoose("Benchwright: Replay an Attempt", "saturating-counter");
  await editor.webview("input[type=range]");
  await album.take("replay");
  await album.takeHard("replay");
}

async function report({ editor, folder }: Session, album: Album): Promise<void> {
  await benchwright(folder, "study", "close", "first-study", "--yes");
  assert.equal((await listAttempts(folder)).length, 1);
  const [studied, invented] = [join(folder, "report"), join(folder, "demo")];
  await benchwright(folder, "report", "--study", "first-study", "--out", studied);
  await benchwright(folder, "report", "--demo", "--out", invented);
  const page = await editor.page.context().newPage();
  await page.setViewportSize(SMALL);
  await page.goto(`file://${join(studied, "report.html")}`);
  await album.keep("report", await page.screenshot());
  await page.goto(`file://${join(invented, "report.html")}`);
  const picture = await page.screenshot();
  await album.keep("report-demo", picture);
  if (process.env.UPDATE_SCREENSHOT) await writeFile(join(ROOT, "docs", "images", "report.png"), picture);
  await page.setViewportSize({ width: SMALL.width / 2, height: SMALL.height / 2 });
  await album.keep("report-zoom-200", await page.screenshot());
  await page.close();
  const free = await editor.page.context().browser()!.newPage({ bypassCSP: true });
  for (const path of [studied, invented]) {
    await free.goto(`file://${join(path, "report.html")}`);
    album.note(await faultsInLooks(free, LOOK_NAMES, WIDTHS));
  }
  await free.close();
}
