import assert from "node:assert/strict";
import { cp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import { BenchService } from "./benchService.ts";
import { benchwright, listAttempts } from "./commandLine.ts";
import type { Editor } from "./editor.ts";
import { loggedIn } from "./editorInBrowser.ts";
import { ROOT } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { hiddenLines, starterFile } from "./starter.ts";
import { LoggedAttempt } from "./studyReport.ts";

interface Call {
  readonly tool: string;
  readonly input: object;
}

interface Said {
  readonly offered: readonly string[];
  readonly results: readonly { readonly name: string; readonly text: string }[];
}

const CALLER = join(ROOT, "tests", "e2e", "toolCaller");
const SETTINGS = { "chat.disableAIFeatures": false };
const PROBLEM = "saturating-counter";
const TITLE = "Saturating up/down counter";
const FILE = "rtl/sat_counter.sv";
/** The chat's own answer while the editor has not found the scripted model. */
const NO_MODEL = "Language model unavailable";

const callerIn = (folder: string): string => join(folder, "editor", "extensions", "tests.caller-1.0.0");
const install = (folder: string): Promise<void> => cp(CALLER, callerIn(folder), { recursive: true });

const services: BenchService[] = [];
after(async () => {
  for (const service of services) await service[Symbol.asyncDispose]();
});

scenario(
  "a scripted model of the editor works on a problem by Benchwright's tools, and all of it is in the log",
  { before: install, settings: SETTINGS },
  async ({ editor, folder }) => {
    await editor.openBenchwrightView();
    await begin(editor);
    await editor.openFile(FILE.slice(4));
    await editor.pasteOver(FILE.slice(4), starterFile(PROBLEM, "hidden", "reference", "rtl", "sat_counter.sv"));
    await editor.save();
    const dialog = editor.page.locator(".monaco-dialog-box");
    const working = letWork(editor, folder, [
      { tool: "benchwright_problem", input: {} },
      { tool: "benchwright_read_file", input: { path: FILE } },
      { tool: "benchwright_drivers", input: { signal: "sat_counter.count" } },
      { tool: "benchwright_hints", input: {} },
      { tool: "benchwright_run_hidden_tests", input: {} },
      { tool: "benchwright_submit", input: {} },
    ]);
    await editor.sees(dialog, "ends the attempt for good");
    await editor.picture("agent-confirms-submit");
    await editor.confirm("Yes");
    const { offered, results } = await working;
    for (const name of ["benchwright_problem", "benchwright_hints", "benchwright_drivers"]) assert.ok(offered.includes(name));
    const [problem, content, drivers, hints, ran, submitted] = results.map(({ text }) => text);
    assert.match(problem!, /counts up and down/);
    assert.match(content!, /module sat_counter/);
    assert.match(drivers!, /always_ff/);
    assert.match(hints!, /"costs": "nothing"/);
    assert.match(ran!, /"outcome": "passed"/);
    assert.match(submitted!, /"state": "submitted"/);
    const said = JSON.stringify(results.filter(({ name }) => name !== "benchwright_read_file"));
    for (const line of hiddenLines(PROBLEM)) assert.ok(!said.includes(line), line);

    const used = (await events(folder)).of("aid_used");
    const tools = used.filter(({ aid }) => aid === "agent_tools");
    assert.deepEqual(tools.map(({ feature }) => feature), ["read_file", "drivers", "hints", "run_hidden_tests", "submit"]);
    assert.ok(used.every(({ through }) => through === "agent"));
  },
);

scenario(
  "an assignment that forbids agents' tools has them refused by the server, and nothing is recorded of them",
  {
    skip: ONLY_NIGHTLY,
    before: async (folder) => {
      await install(folder);
      const service = await BenchService.open(folder, {});
      services.push(service);
      const assign = ["course", "assign", "arch", "starter", "--title", "Alone", "--problem", PROBLEM];
      await service.run(...assign, "--assistance", "chat", "--aid", "hints");
      await loggedIn(folder, service, service.url, "ada");
    },
    settings: SETTINGS,
  },
  async ({ editor, folder }) => {
    await editor.openBenchwrightView();
    await editor.filterProblems(`Alone ${TITLE}`);
    await begin(editor);
    // The editor takes such tools from its own agents; other extensions can still call them.
    const { results } = await letWork(editor, folder, [
      { tool: "benchwright_problem", input: {} },
      { tool: "benchwright_hints", input: {} },
    ]);
    assert.equal(results.length, 2);
    for (const { text } of results) assert.match(text, /^refused: .*assignment .* does not allow Benchwright's tools/);
    const logged = await events(folder);
    assert.equal(logged.of("started").length, 1);
    assert.deepEqual(logged.of("aid_used"), []);
  },
);

scenario(
  "a person asks @benchwright in the editor's chat, and is answered in words",
  { skip: ONLY_NIGHTLY, before: install, settings: SETTINGS },
  async ({ editor, folder }) => {
    await editor.openBenchwrightView();
    await begin(editor);
    await editor.page.keyboard.press("Control+Alt+I");
    await asked(editor, "@benchwright /status ", /Runs of the hidden tests: 0/);
    await asked(editor, "@benchwright /hints ", /Hint 1 of 3 costs nothing/);
    await asked(editor, "@benchwright /problem ", /counts up and down[\s\S]*Files that are tested[\s\S]*State: running/);
    await asked(editor, "@benchwright why? ", /only where the problem's rules allow explanations by one/);
    await editor.picture("chat");
    const used = (await events(folder)).of("aid_used");
    assert.deepEqual(used.map(({ aid, feature }) => [aid, feature]), [["agent_tools", "hints"]]);
    await editor.command("MCP: List Servers");
    await editor.sees(editor.choices(), "Benchwright");
    await editor.picture("mcp-servers");
  },
);

/** Opens the problem from the list, and starts its clock. */
async function begin(editor: Editor): Promise<void> {
  await editor.openProblem(TITLE);
  await editor.file(FILE).waitFor();
  // The statement takes the focus for a moment when it comes.
  await editor.webview("h1#saturating-updown-counter");
  await editor.startClock();
}

/** Asks in the chat, and waits for the answer; again where the chat has not found its model yet, as when first asked. */
async function asked(editor: Editor, question: string, answer: RegExp): Promise<void> {
  const answers = editor.page.locator(".interactive-response");
  for (let tries = 1; ; tries += 1) {
    for (let times = 1; !(await written(editor, question)); times += 1) {
      assert.ok(times < 60, "The chat's box does not keep what is written.");
      await editor.page.waitForTimeout(500);
    }
    await editor.page.keyboard.press("Enter");
    const [wanted, seconds] = tries === 1 ? [new RegExp(`${answer.source}|${NO_MODEL}`), 90] : [answer, 5];
    const isAnswered = await editor.sees(answers.last(), wanted, seconds).then(
      () => true,
      () => false,
    );
    if (isAnswered && !(await answers.last().innerText()).includes(NO_MODEL)) return;
    assert.ok(tries < 10, `The chat does not answer ${question}: ${(await answers.allInnerTexts()).at(-1) ?? "nothing"}`);
  }
}

/** Writes into the chat's box; whether all of it is there, since a file may take the focus meanwhile. */
async function written(editor: Editor, text: string): Promise<boolean> {
  const box = editor.page.locator(".chat-editor-container .monaco-editor").first();
  await box.click();
  if ((await box.locator(":focus").count()) === 0) return false;
  await editor.page.keyboard.press("Control+A");
  // At once: of many keys some would go into a file that takes the focus meanwhile.
  await editor.page.keyboard.insertText(text);
  const lines = await box.locator(".view-lines").innerText();
  return lines.replaceAll("\u00a0", " ").includes(text.trim());
}

/** Lets the scripted model call tools; resolves with what they answered. */
async function letWork(editor: Editor, folder: string, calls: readonly Call[]): Promise<Said> {
  const file = join(callerIn(folder), "said.json");
  await rm(file, { force: true });
  const script = join(callerIn(folder), "script");
  await writeFile(script, JSON.stringify(calls));
  await rename(script, `${script}.json`);
  for (let tries = 0; tries < 600; tries += 1) {
    const said = await readFile(file, "utf8").catch(() => "");
    if (said) return JSON.parse(said) as Said;
    await editor.page.waitForTimeout(100);
  }
  throw new Error("The scripted model has not come to its end.");
}

async function events(folder: string): Promise<LoggedAttempt> {
  const [attempt] = await listAttempts(folder);
  return new LoggedAttempt(await benchwright(folder, "attempts", "export", attempt!.id));
}
