import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import { benchwright, listAttempts } from "./commandLine.ts";
import { Participant, type Said } from "./participant.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { ScriptedAssistant } from "./scriptedAssistant.ts";
import type { Session } from "./session.ts";
import { checkReport } from "./reportCheck.ts";
import { loggedAttempts, reportOf, type LoggedAttempt } from "./studyReport.ts";
import { starterFile } from "./starter.ts";

const STUDY = `
study: three-tasks
title: Three small tasks
problems: [starter/round-robin-arbiter, starter/sync-fifo, starter/uart-parity]
practice: starter/saturating-counter
conditions:
  - name: alone
    solver: human
  - name: copilot
    solver: human+copilot
    assistants: [benchwright]
participants: [P01]
randomisation: { unit: task, order: latin-square, seed: 2 }
limits: { time_minutes: 30, runs: 3 }
forecasts: [minutes, difficulty, prior_exposure, success]
self_estimates: [minutes, difficulty, external_help, success]
questionnaire:
  - { id: years, ask: "For how many years have you written Verilog?", kind: number }
  - { id: attention, ask: To show that you read this choose sometimes., kind: choice, choices: [never, sometimes, always], expect: sometimes }
  - { id: liked, ask: "Did you like the tasks?", kind: yes-no }
  - { id: remarks, ask: "What else do you want to tell us?", kind: text, required: false }
consent:
  version: "1"
  text: |
    We study **how people write hardware**, with and without an assistant.

    You may stop at any time.
`;

const TASKS = ["starter/round-robin-arbiter", "starter/sync-fifo", "starter/uart-parity"] as const;
const TITLES = [
  "Round-robin arbiter",
  "FIFO with level flags",
  "UART parity and stop bits",
] as const;
const ARBITER = "rtl/rr_arbiter.sv";
const FIFO = "rtl/sync_fifo.sv";
const TYPED = "\nassign empty";
const COMPLETION = " = level == 0;";

const assistant = await ScriptedAssistant.start("assign empty", COMPLETION);
after(() => assistant[Symbol.asyncDispose]());

scenario(
  "a participant walks through a study of three tasks, and its report says what they did",
  {
    before: async (folder) => {
      await writeFile(join(folder, "study.yaml"), STUDY);
      await benchwright(folder, "study", "run", join(folder, "study.yaml"), "--participant", "P01");
    },
    settings: {
      "benchwright.assistant.enabled": true,
      "benchwright.assistant.url": assistant.url,
      "benchwright.assistant.model": "scripted",
      // The list of names would stand in the way of the ghost text.
      "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
    },
  },
  async (session) => {
    const { editor, folder } = session;
    const participant = new Participant(editor);
    await editor.openBenchwrightView();
    // A study that waits for somebody is at the top of the list, and opens with a click.
    await editor.sees(editor.problem("Three small tasks"), /0\/3 done/);
    await editor.openProblem("Three small tasks");

    const consent = await participant.page("Do you want to take part?");
    await editor.sees(consent.locator("main"), "how people write hardware");
    await editor.picture("study-consent-light");
    await participant.press(consent, "I Agree");

    const practice = await participant.page("A practice problem");
    await participant.press(practice, "Open the Task");
    await participant.press(await participant.page("Saturating up/down counter"), "Give Up…");
    await editor.answer("practice");

    const arbiter = { ...minutes("12", "8"), difficulty: "2", prior_exposure: "similar", success: "75" };
    await expect(session, "Round-robin arbiter", arbiter, "light");
    const fifo = { ...minutes("24", "20"), difficulty: "4", prior_exposure: "none", success: "50" };
    await expect(session, "FIFO with level flags", fifo, "dark");
    const uart = { ...minutes("30", "29"), difficulty: "5", prior_exposure: "same", success: "10" };
    await expect(session, "UART parity and stop bits", uart);

    await open(session, "Round-robin arbiter");
    await participant.press(await participant.page("Round-robin arbiter"), "Start the Clock");
    // No time is shown before the participant has said how long it took.
    await editor.sees(participant.recording(), /Recording · 3 runs left/);
    await editor.sees(editor.statusBar("clock"), "Running");
    assert.doesNotMatch(await editor.page.locator(".statusbar").innerText(), /\d\d:\d\d/);
    await editor.hasFocus(ARBITER);
    await editor.pasteOver(ARBITER, starterFile("round-robin-arbiter", "hidden", "reference", ARBITER));
    await editor.statusBar("clock").click();
    await editor.answer("coffee");
    await editor.hears(editor.statusBar("clock"), /paused/);
    await editor.page.waitForTimeout(1500);
    await editor.statusBar("clock").click();
    await editor.hears(editor.statusBar("clock"), /running/);
    await editor.command("Benchwright: Run Hidden Tests");
    await editor.sees(editor.statusBar("verdict"), /(\d+)\/\1 passed$/);
    await editor.sees(participant.recording(), "2 runs left");
    await submit(session);
    await estimate(session, { minutes: "10", difficulty: "3", external_help: "yes", help_note: "a colleague", success: "95" }, "light");

    await participant.page("Next: FIFO with level flags");
    await look(session, "dark");
    await open(session, "FIFO with level flags");
    const work = await participant.page("FIFO with level flags");
    await editor.sees(work.locator("main"), "Benchwright's own completion");
    await editor.picture("study-work-dark");
    await participant.press(work, "Start the Clock");
    await editor.hasFocus(FIFO);
    await editor.typeAtLine(FIFO, 22, TYPED);
    const offered = editor.page.locator(".ghost-text, .ghost-text-decoration, .suggest-preview-text").first();
    await offered.waitFor();
    await editor.picture("study-completion-dark");
    await editor.page.keyboard.press("Tab");
    // What is offered looks like the file's own text.
    await offered.waitFor({ state: "detached" });
    await editor.sees(editor.file(FIFO), `assign empty${COMPLETION}`);
    await editor.command("Benchwright: Run Hidden Tests");
    await editor.sees(editor.statusBar("verdict"), /0\/\d+|failed/);
    await submit(session);
    await estimate(session, { minutes: "25", difficulty: "5", external_help: "no", success: "5" }, "dark");

    await open(session, "UART parity and stop bits");
    const last = await participant.page("UART parity and stop bits");
    await participant.press(last, "Start the Clock");
    await editor.sees(editor.statusBar("clock"), "Running");
    await editor.hasFocus("rtl/uart_tx.sv");
    await editor.command("Benchwright: Give Up the Attempt");
    await editor.answer("too hard");
    await estimate(session, { minutes: "2", difficulty: "5", external_help: "no", success: "0" });

    const questions = await participant.page("A few questions at the end");
    await editor.picture("study-questions-dark");
    await participant.fillIn(questions, { years: "7", attention: "sometimes", liked: "yes" });
    await participant.page("Thank you");
    await editor.picture("study-thanks-dark");
    // A preview that is closed while it loads leaves unanswered requests for the editor's own files behind.
    const own = /^https:\/\/[^/]+\.vscode-resource\.vscode-cdn\.net\//;
    assert.deepEqual(session.strangers.filter((address) => !own.test(address)), []);

    await editor.command("Benchwright: Show My Numbers");
    const numbers = await editor.webview("h1#my-numbers");
    await editor.sees(numbers.locator("table"), /Round-robin arbiter\s+✓ passed, run 1\s+1\.00\s+\d\d:/);
    await editor.sees(numbers.locator("table"), /UART parity[^]*\s+– given up\s+–\s+\d\d:/);
    await editor.sees(numbers.locator("table"), /Round-robin arbiter\s+alone\s+you\s+12 min/);
    await editor.picture("study-numbers-dark");
    await replay(session);
    await writeFile(join(session.workspaces, "study.json"), '{ "study": 3 }');
    await editor.openFile("study.json");
    await editor.page.locator(".monaco-editor .squiggly-warning").first().waitFor();
    await session.close();

    const saved = await readFile(join(session.workspaces, "starter", "sync-fifo", FIFO), "utf8");
    const typed = saved.length - starterFile("sync-fifo", "public", FIFO).length - COMPLETION.length;
    const logged = await loggedAttempts(folder);
    checkFacts(logged, typed);
    const closed = JSON.parse(await benchwright(folder, "study", "close", "three-tasks", "--yes", "--json")) as { digest: string };
    checkReport(await reportOf(folder, "three-tasks"), {
      practice: logged["starter/saturating-counter"]!,
      arbiter: logged[TASKS[0]]!,
      fifo: logged[TASKS[1]]!,
      uart: logged[TASKS[2]]!,
      pasted: starterFile("round-robin-arbiter", "hidden", "reference", ARBITER).length,
      typed,
      completion: COMPLETION,
      digest: closed.digest,
    });
  },
);

scenario(
  "a task opens in a window of its folder, where the participant withdraws and has everything deleted",
  {
    skip: ONLY_NIGHTLY,
    opened: (folder) => join(folder, "elsewhere"),
    before: async (folder) => {
      await mkdir(join(folder, "elsewhere"));
      const study = STUDY.replace(/^practice.*\n/m, "").concat("recording: timing\n");
      await writeFile(join(folder, "study.yaml"), study);
      await benchwright(folder, "study", "run", join(folder, "study.yaml"), "--participant", "P01");
    },
  },
  async (session) => {
    const { editor, folder } = session;
    const participant = new Participant(editor);
    await editor.command("Benchwright: Take Part in a Study");
    const consent = await participant.page("Do you want to take part?");
    await editor.sees(consent.locator("main"), "No text and no file name of your edits is kept.");
    await participant.press(consent, "I Agree");
    for (const title of TITLES) {
      await expect(session, title, { ...minutes("9", "8"), difficulty: "2", prior_exposure: "none", success: "75" });
    }
    await participant.press(await participant.page("Next: Round-robin arbiter"), "Open the Task");
    const form = await participant.page("Round-robin arbiter");
    await editor.sees(participant.recording(), "Recording");
    assert.equal((await listAttempts(folder)).length, 1);

    await participant.press(form, "Withdraw…");
    await editor.dialog().getByRole("button", { name: "Withdraw and Delete My Data" }).click();
    await participant.page("You have withdrawn");
    await participant.recording().waitFor({ state: "detached" });
    assert.deepEqual(await listAttempts(folder), []);
  },
);

const ONE_QUESTION = `
study: one-question
title: One question
problems: [starter/load-use-stalls]
conditions: [{ name: alone, solver: human }]
participants: [P01]
randomisation: { unit: task, order: random, seed: 3 }
limits: { time_minutes: 30, runs: 3 }
forecasts: []
self_estimates: []
consent: { version: "1", text: "We study how people read pipelines." }
`;

scenario(
  "a question in a study says how long it takes at most, and is scored in one way, when it is submitted",
  {
    skip: ONLY_NIGHTLY,
    before: async (folder) => {
      await writeFile(join(folder, "study.yaml"), ONE_QUESTION);
      await benchwright(folder, "study", "run", join(folder, "study.yaml"), "--participant", "P01");
    },
  },
  async (session) => {
    const { editor } = session;
    const participant = new Participant(editor);
    await editor.command("Benchwright: Take Part in a Study");
    const consent = await participant.page("Do you want to take part?");
    await editor.picture("study-question-consent");
    await editor.sees(consent.locator("main"), /How long it takes\s+You work for at most 30 min/);
    await participant.press(consent, "I Agree");
    const title = "Cycles of a short program";
    await participant.press(await participant.page(`Next: ${title}`), "Open the Task");
    await participant.press(await participant.page(title), "Start the Clock");
    const form = await editor.webview("input[type=radio]");
    await editor.sees(form.locator("main"), /It is scored when you submit it\./);
    await editor.picture("study-question-form");
    const statement = await editor.webview("h1#cycles-of-a-short-program");
    await editor.sees(statement.locator("body"), "lw");
    assert.doesNotMatch(await statement.locator("body").innerText(), /answer\.md/);
    await editor.command("Benchwright: Take Part in a Study");
    const work = await participant.page(title);
    await editor.picture("study-question-task");
    await editor.sees(work.locator("main"), /Go to the Answer[^]*Submit…/);
    assert.doesNotMatch(await work.locator("main").innerText(), /Run Hidden Tests|Runs of the tests|Score the Answer/);
  },
);

/** Scrubs through the first task: its end, its beginning, and what the picture says in words. */
async function replay(session: Session): Promise<void> {
  const { editor } = session;
  await editor.command("View: Close All Editors");
  await editor.commandAndChoose("Benchwright: Replay an Attempt", "round-robin");
  const page = await editor.webview("input[type=range]");
  await editor.sees(page.locator("details"), /Pause \(coffee\): \d\d:\d\d to \d\d:\d\d\s+Run 1, passed: \d\d:\d\d to \d\d:\d\d/);
  await page.locator("input[type=range]").focus();
  await editor.page.keyboard.press("End");
  await editor.sees(page.locator("pre"), "grant_twice");
  await editor.page.keyboard.press("Home");
  await editor.sees(page.locator("pre"), "missing part: begin");
  await page.getByRole("button", { name: "Pause (coffee)" }).press("Enter");
  await editor.sees(page.locator("pre"), "grant_twice");
  await editor.sees(page.locator("main"), "the clock was paused");
  await editor.picture("replay-dark");
  await look(session, "light");
  await page.getByRole("button", { name: "Step Back" }).press("Enter");
  await page.getByRole("button", { name: "Play" }).press("Enter");
  await editor.sees(page.locator("main"), "the self-estimate was given");
  await editor.picture("replay-light");
}

/** Every fact of the walk stands in the logs, and nothing that the conditions forbid. */
function checkFacts(logged: Record<string, LoggedAttempt>, typed: number): void {
  const [alone, copilot, last] = TASKS.map((problem) => logged[problem]!);
  for (const attempt of Object.values(logged)) {
    assert.equal(attempt.of("consent")[0]?.version, "1");
    assert.deepEqual(attempt.of("violation"), []);
    assert.ok(attempt.of("environment").every(({ change_reasons }) => change_reasons));
  }
  const on = (attempt: LoggedAttempt): string[] =>
    Object.entries(attempt.of("environment").at(-1)!.ai_features ?? {}).flatMap(([name, isOn]) => (isOn ? [name] : []));
  assert.deepEqual(on(alone!), []);
  assert.ok(on(copilot!).includes("editor.inlineSuggest.enabled"));
  assert.deepEqual(on(last!), []);

  assert.deepEqual(
    alone!.of("edit_reason").map(({ reason, metadata }) => [reason, metadata?.kind]),
    [["cursor", "paste"]],
  );
  assert.deepEqual(alone!.of("paused").map(({ reason }) => reason), ["coffee"]);
  assert.deepEqual(last!.of("abandoned").map(({ reason }) => reason), ["too hard"]);
  assert.equal(alone!.of("self_estimate")[0]?.help_note, "a colleague");

  const reasons = copilot!.of("edit_reason").map(({ reason, metadata }) => metadata?.kind ?? reason);
  assert.deepEqual(reasons, [...Array<string>(TYPED.length).fill("type"), "inlineCompletionAccept"]);
  assert.deepEqual(
    copilot!.of("command").map(({ command }) => command),
    ["editor.action.inlineSuggest.commit"],
  );
  assert.deepEqual(
    copilot!.of("assist_accepted").map(({ provider, length }) => [provider, length]),
    [["benchwright", COMPLETION.length]],
  );
  assert.ok(copilot!.of("assist_shown").every(({ text, model }) => text === COMPLETION && model === "scripted"));
  // The new line brings its indentation along.
  assert.equal(typed, TYPED.length + "    ".length);
}

/** Switches to a light or a dark theme. */
async function look({ editor }: Session, look: "light" | "dark"): Promise<void> {
  const workbench = editor.page.locator(`.monaco-workbench.${{ light: "vs", dark: "vs-dark" }[look]}`).first();
  for (let tries = 1; !(await workbench.isVisible()); tries += 1) {
    assert.ok(tries < 5, `The editor does not become ${look}.`);
    // A page that comes up takes the keyboard away from the palette.
    await editor.command("Preferences: Toggle between Light/Dark Themes");
    await workbench.waitFor({ timeout: 4000 }).catch(() => undefined);
  }
}

/** Once a page is there: one that comes up takes the keyboard, and what is typed into the palette goes into its form. */
async function lookAndKeep(session: Session, wanted: "light" | "dark", page: string): Promise<void> {
  await look(session, wanted);
  await session.editor.picture(`study-${page}-${wanted}`);
}

async function open(session: Session, title: string): Promise<void> {
  const participant = new Participant(session.editor);
  await participant.press(await participant.page(`Next: ${title}`), "Open the Task");
}

/** What somebody expects to need without and with an assistant. */
function minutes(alone: string, assisted: string): Said {
  return { minutes_without_ai: alone, minutes_with_ai: assisted };
}

/** Reads a problem and says what to expect of it; the condition is not shown yet. */
async function expect(session: Session, title: string, said: Said, picture?: "light" | "dark"): Promise<void> {
  const participant = new Participant(session.editor);
  const page = await participant.page(`What do you expect of “${title}”?`);
  const text = (await page.locator("main").textContent()) ?? "";
  assert.ok(!text.includes("you may use") && !text.includes("Work on this task without help"), text);
  if (picture) await lookAndKeep(session, picture, "forecast");
  await participant.fillIn(page, said);
}

async function estimate(session: Session, said: Said, picture?: "light" | "dark"): Promise<void> {
  const participant = new Participant(session.editor);
  const page = await participant.page("How was it?");
  if (picture) await lookAndKeep(session, picture, "estimate");
  await participant.fillIn(page, said);
}

async function submit({ editor }: Session): Promise<void> {
  await editor.command("Benchwright: Submit");
  await editor.confirm("Submit");
}
