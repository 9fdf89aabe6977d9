import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { benchwright, listAttempts, listProblems } from "./commandLine.ts";
import { ROOT } from "./installation.ts";
import { scenario } from "./scenario.ts";
import type { Session } from "./session.ts";
import { starterFile } from "./starter.ts";
import { LoggedAttempt } from "./studyReport.ts";

const PROBLEM = "saturating-counter";
const TITLE = "Saturating up/down counter";
const FILE = "rtl/sat_counter.sv";

scenario("a starter problem is broken, fixed, passed, submitted and replayed from its log", {}, async (session) => {
  const { editor, folder } = session;
  const saved = join(session.workspaces, "starter", PROBLEM, FILE);

  await editor.openBenchwrightView();
  const titles = (await listProblems(folder)).filter(({ problem }) => problem.startsWith("starter/")).map(({ title }) => title);
  assert.ok(titles.length >= 8);
  for (const title of titles) await editor.sees(editor.problem(title), title);

  await editor.openProblem(TITLE);
  await editor.file(FILE).waitFor();
  await editor.sees((await editor.webview("h1#saturating-updown-counter")).locator("body"), "Write a counter");
  await editor.sees(editor.statusBar("clock"), "Start");

  await editor.statusBar("clock").click();
  await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);

  await editor.typeAtLine(FILE, 17, "\noops");
  await editor.squiggles().first().waitFor();
  await editor.openProblemsPanel();
  await editor.sees(editor.problemsPanel(), "slang");

  await editor.pasteOver(FILE, starterFile(PROBLEM, "hidden", "wrong", "wraps", FILE));
  await editor.save();
  await editor.sees(editor.statusBar("verdict"), /[1-9]\d*\/\d+/);
  await editor.sees(editor.codeLens(), /Run hidden tests · ✗ \d+\/\d+ passed · \d+\.\d s · run 1/);

  await editor.statusBar("clock").click();
  await editor.answer("coffee");
  await editor.hears(editor.statusBar("clock"), /paused/);
  const stopped = await editor.statusBar("clock").innerText();
  await editor.page.waitForTimeout(1500);
  assert.equal(await editor.statusBar("clock").innerText(), stopped);
  await editor.statusBar("clock").click();

  const reference = starterFile(PROBLEM, "hidden", "reference", FILE);
  await editor.pasteOver(FILE, reference);
  await editor.save();
  await editor.sees(editor.statusBar("verdict"), /(\d+)\/\1 passed$/);
  await editor.sees(editor.codeLens(), /(\d+)\/\1 passed · \d+\.\d s · run 2/);
  await editor.sees(editor.problemsPanel(), "nothing");
  await editor.sees((await editor.webview(".headline.passed")).locator("main"), "Hidden tests passed");
  await editor.closePanel();
  await editor.widenSideBar(130);
  const picture = await editor.picture("passed");
  if (process.env.UPDATE_SCREENSHOT) await keepAsDocumentation(picture);

  await editor.command("Testing: Focus on Test Explorer View");
  await editor.testItem("passed").waitFor();
  assert.equal(await editor.testItem().count(), 1);

  await editor.command("Benchwright: Submit");
  await editor.confirm("Submit");
  await editor.sees(
    editor.notification("submitted"),
    /Hidden tests passed: .*, 2 runs, first pass at \d\d:\d\d \(run 2\)/,
  );
  const results = (await editor.webview(".headline.passed")).locator("main");
  await editor.sees(results, /Attempt\s+submitted/);
  await editor.sees(results, /Gates\s+\d+, the reference \d+/);
  await editor.sees(results, /Active time\s+\d\d:\d\d/);
  await editor.picture("submitted");
  await stepThrough(session);
  assert.deepEqual(session.strangers, []);
  await session.close();

  const [attempt, ...others] = await listAttempts(folder);
  assert.deepEqual(others, []);
  assert.ok(attempt);
  assert.deepEqual(
    [attempt.problem, attempt.state, attempt.verdict, attempt.runs],
    [`starter/${PROBLEM}`, "submitted", "passed", 2],
  );
  const exported = await benchwright(folder, "attempts", "export", attempt.id);
  const types = new LoggedAttempt(exported).events.map(({ event }) => event.type);
  for (const type of ["started", "edit", "save", "run_started", "paused", "resumed", "submitted"]) {
    assert.ok(types.includes(type), `the log has no event ${type}`);
  }
  assert.match(exported, /coffee/);

  const replayed = join(folder, "replayed");
  await benchwright(folder, "attempts", "replay", attempt.id, "--to", replayed);
  assert.deepEqual(await readFile(join(replayed, FILE)), await readFile(saved));
  assert.equal(await readFile(saved, "utf8"), reference);
});

/** Steps through the attempt on its trace's page, whose own policy has to let its script run in the editor too. */
async function stepThrough({ editor }: Session): Promise<void> {
  await editor.command("View: Close All Editors");
  await editor.commandAndChoose("Benchwright: Step Through an Attempt", TITLE);
  const trace = await editor.webview("#told");
  await editor.sees(trace.locator("#told"), /^\d+ steps$/);
  await trace.getByLabel("Only").selectOption("ran");
  await trace.getByRole("button", { name: "Next" }).press("Enter");
  await editor.page.keyboard.press("ArrowRight");
  await editor.page.keyboard.press("ArrowRight");
  await editor.page.keyboard.press("ArrowRight");
  await editor.sees(trace.locator("#told"), /Run 2 passed, (\d+) of \1 tests/);
  await trace.getByLabel("Only").selectOption("edited");
  await trace.getByRole("button", { name: "Next" }).press("Enter");
  await editor.sees(trace.locator("details[open] pre"), /\+ +oops/);
  await editor.picture("trace");
}

async function keepAsDocumentation(picture: Buffer): Promise<void> {
  const path = join(ROOT, "docs", "images", "benchwright.png");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, picture);
}
