import assert from "node:assert/strict";
import { faultsOfPages } from "./accessibility.ts";
import type { Editor } from "./editor.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { starterFile } from "./starter.ts";

const PROBLEM = "saturating-counter";
const FILE = "rtl/sat_counter.sv";
const GOOD = starterFile(PROBLEM, "hidden", "reference", FILE);
/** Accepted by no simulator; the editor says so beside the hidden tests, whose message is not shown twice. */
const UNBUILT = GOOD.replace("endmodule", "    event first, second;\n    initial wait_order (first, second);\n\nendmodule");

scenario("results lead to the next step, of a design and of a question", { skip: ONLY_NIGHTLY }, async ({ editor }) => {
  await designLeadsFromEarlySaveToPass(editor);
  await solvedProblemLeadsToItsSolution(editor);
  await freeAnswerSaysWhatSavingDoes(editor);
});

/** By way of a build failure and of failures. */
async function designLeadsFromEarlySaveToPass(editor: Editor): Promise<void> {
  await editor.openBenchwrightView();
  await editor.openProblem("Saturating up/down counter");
  await editor.file(FILE).waitFor();
  // The statement takes the focus for a moment when it comes.
  await editor.webview("h1#saturating-updown-counter");

  await editor.pasteOver(FILE, UNBUILT);
  await editor.save();
  const hint = editor.notification("nothing is scored until the clock starts");
  await hint.waitFor();
  await editor.picture("results-saved-too-early");
  await hint.getByRole("button", { name: "Start the Clock" }).click();
  await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);

  await editor.focusFile(FILE);
  await editor.openProblemsPanel();
  await editor.command("Benchwright: Run Hidden Tests");
  await editor.sees(editor.statusBar("verdict"), "build failed");
  await editor.sees(editor.codeLens(), /Run hidden tests · ✗ build failed · /);
  await editor.sees(editor.problemsPanel(), /Unsupported: wait_order/);
  const place = (await editor.webview("button.link")).locator("button.link").first();
  await editor.sees((await editor.webview("button.link")).locator("main"), /does not build[\s\S]*What the compiler says/);
  await editor.picture("results-build-failed");
  const line = Number((await place.innerText()).split(":")[1]);
  await place.click();
  await editor.page.locator(".statusbar-item", { hasText: `Ln ${line}, Col 1` }).waitFor();

  await editor.command("Preferences: Toggle between Light/Dark Themes");
  await editor.pasteOver(FILE, starterFile(PROBLEM, "hidden", "wrong", "wraps", FILE));
  await editor.save();
  await editor.sees(editor.statusBar("verdict"), /\d+\/\d+ passed/);
  const failed = (await editor.webview(".tests .failed")).locator("main");
  await editor.sees(failed, /Failed hidden tests[\s\S]*failed after [\d,.]+ ns[\s\S]*hidden tests? passed[\s\S]*Run time/);
  assert.doesNotMatch((await editor.problemsPanel().allInnerTexts()).join("\n"), /hidden tests/);
  await editor.closePanel();
  await editor.picture("results-failures-dark");
  await failed.getByRole("button", { name: "Show Waveform" }).click();
  const wave = await editor.webview(".wave-row.signal");
  await wave.locator(".wave-row.signal").first().waitFor();
  await editor.sees(wave.locator("h1"), /^Hidden tests, run 2$/);
  await editor.picture("hidden-waveform-dark");
  await failed.getByRole("button", { name: "Explain the Failure" }).click();
  const why = await editor.webview("h1:text-is('Why it may fail')");
  await editor.sees(why.locator("body"), /Of Saturating up\/down counter, run 2, \d\d:\d\d\./);

  await editor.pasteOver(FILE, GOOD);
  await editor.save();
  const passed = await editor.webview(".headline.passed");
  await editor.sees(passed.locator("main"), /✓? ?Hidden tests passed: \d+ of \d+ \(run 3\)[\s\S]*Submit to end the attempt/);
  // What was said of the run before says so.
  await editor.sees(why.locator("body"), "Run 3 is newer: this is about run 2.");
  await editor.picture("explanation-of-an-older-run");
  await passed.getByRole("button", { name: "Submit" }).click();
  await editor.confirm("Submit");
  await (await editor.webview("button:has-text('Next Problem')")).getByRole("button", { name: "Next Problem" }).click();
  await editor.file("rtl/sync_fifo.sv").waitFor();
}

/** What was solved is shown with its attempts, not begun anew. */
async function solvedProblemLeadsToItsSolution(editor: Editor): Promise<void> {
  await editor.openBenchwrightView();
  await editor.problem("Saturating up/down counter").click();
  const page = await editor.webview("h1:text-is('Saturating up/down counter')");
  await editor.sees(page.locator("main"), /Try Again[\s\S]*Your attempts[\s\S]*passed[\s\S]*Statement[\s\S]*Write a counter[\s\S]*Licence/);
  await editor.sees(page.locator("main"), /Your best solution, beside the reference[\s\S]*Gates\s+(\d+)\s+\1[\s\S]*Gates on the longest path\s+(\d+)\s+\2/);
  assert.deepEqual(await faultsOfPages(editor.page), []);
  await editor.picture("solved-problem");
  await page.getByRole("button", { name: "Compare With the Reference" }).click();
  await editor.sees(editor.page.locator(".monaco-diff-editor .modified .view-lines").first(), /assign at_max/);
  await editor.picture("solution-beside-the-reference");
  await editor.problem("Saturating up/down counter").click();
  const again = await editor.webview("h1:text-is('Saturating up/down counter')");
  await again.getByRole("button", { name: "Show Files" }).first().click();
  await editor.sees(editor.page.locator(".editor-instance .view-lines").first(), /assign at_max/);
  await editor.picture("solution-of-an-ended-attempt");
}

/** And a problem is found, described and grouped. */
async function freeAnswerSaysWhatSavingDoes(editor: Editor): Promise<void> {
  await editor.openBenchwrightView();
  const row = editor.problem("Two stores, two loads");
  await row.hover();
  await row.getByRole("button", { name: "Show Problem Details" }).click();
  await editor.sees((await editor.webview("h1:text-is('Two stores, two loads')")).locator("body"), /starter\/store-buffering[\s\S]*Licence/);
  await editor.picture("problem-details");

  await editor.commandAndChoose("Benchwright: Group Problems By…", "Difficulty");
  await editor.sees(editor.problem("Width of a cache tag"), /question/);
  await editor.picture("problems-by-difficulty");

  await editor.commandAndChoose("Benchwright: Open Problem…", "Two stores, two loads");
  const form = await editor.webview("textarea");
  await editor.sees(form.locator("main"), "Nothing is scored until the clock starts.");
  await form.getByRole("button", { name: "Start the Clock" }).click();
  await editor.sees(form.locator("main"), "It is scored when you submit it, or before by “Score the Answer”.");
  await form.locator("textarea").fill("Yes: each store waits in its buffer.");
  await editor.picture("free-answer");
  await form.getByRole("button", { name: "Submit" }).click();
  await editor.confirm("Submit");
  await editor.sees(form.locator("main"), "This attempt has ended.");

  await editor.filterProblems("hard question");
  await editor.sees(editor.page.locator(".pane-body .monaco-list-row", { hasText: /^hard\s*\d/ }), /^hard/);
  await editor.picture("problems-filtered");
}

scenario("a new attempt closes what showed the one before, and asks about what was not saved there", { skip: ONLY_NIGHTLY }, async ({ editor }) => {
  const tabs = editor.page.locator(".tab");
  await editor.openBenchwrightView();
  await editor.openProblem("Saturating up/down counter");
  await editor.file(FILE).waitFor();
  await editor.webview("h1#saturating-updown-counter");
  await editor.startClock();
  await editor.pasteOver(FILE, starterFile(PROBLEM, "hidden", "wrong", "wraps", FILE));
  await editor.save();
  const failed = (await editor.webview(".headline.failed")).locator("main");
  await failed.getByRole("button", { name: "Explain the Failure" }).click();
  await editor.webview("h1:text-is('Why it may fail')");
  await failed.getByRole("button", { name: "Show Waveform" }).click();
  await editor.webview(".wave-row.signal");
  await editor.command("Benchwright: Submit");
  await editor.confirm("Submit");
  await editor.sees(editor.statusBar("clock"), "Submitted");
  await editor.typeAtLine(FILE, 1, " // of the attempt before");
  await editor.problem("Saturating up/down counter").click();
  const page = await editor.webview("main:has(button:text-is('Try Again'))");
  for (const label of ["README.md", "Why it may fail", "sat_counter.sv"]) await tabs.filter({ hasText: label }).waitFor();
  assert.equal(await tabs.count(), 5);
  await editor.picture("tabs-of-an-ended-attempt");
  await page.getByRole("button", { name: "Try Again" }).click();
  await editor.confirm("Don't Save");
  await editor.codeLens().filter({ hasText: "Start the clock" }).waitFor();
  await editor.picture("tabs-of-a-new-attempt");
  for (const label of ["README.md", "Saturating up/down counter", "sat_counter.sv"]) await tabs.filter({ hasText: label }).waitFor();
  assert.equal(await tabs.count(), 3);
});
