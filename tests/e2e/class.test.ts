import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { BenchService } from "./benchService.ts";
import { CANARY, withCanaries } from "./canaries.ts";
import * as designs from "./classDesigns.ts";
import type { Editor } from "./editor.ts";
import { enterByToken, PLAIN_TYPING, type EnterEditor } from "./editorInBrowser.ts";
import { filesHolding } from "./foundFiles.ts";
import { canServe, enterByHub } from "./hub.ts";
import { ARTIFACTS } from "./installation.ts";
import { Postgres } from "./postgres.ts";
import { ReceivedByBrowser, type Received } from "./receivedByBrowser.ts";
import { RecordingProxy } from "./recordingProxy.ts";
import { ONLY_NIGHTLY, twice } from "./scenario.ts";
import { homeOf, messagesOf, Session } from "./session.ts";
import { signInHere } from "./signIn.ts";
import { hiddenLines } from "./starter.ts";
import { Teacher } from "./teacher.ts";

const COUNTER = "Saturating up/down counter";
const QUESTION = "Cycles of a short program";
const BUS = "cvdp_copilot_shared_bus_0001";
const COUNTER_TITLE = "Saturating up/down counter";
const BUS_TITLE = "shared bus 0001";
const [ADA, BOB] = ["Ada Lovelace", "bob"];

/** What students' machines must not have; nothing that the students write themselves holds any of it. */
const SECRETS = [CANARY, ...hiddenLines("saturating-counter"), ...hiddenLines("load-use-stalls")];

const HALF_AN_HOUR = 30 * 60_000;

/** In seconds: two editors, a database and the service share the processors with the simulators of two students. */
const PATIENCE_WITH_RUNS = 300;

test("a class from its sheets to its grades, one student in VS Code and one with a browser only", { timeout: HALF_AN_HOUR, skip: ONLY_NIGHTLY }, (t) =>
  twice(t, () => playClass(t, enterByToken)),
);

test("the same class with a hub that lets the student with a browser in", { timeout: HALF_AN_HOUR, skip: ONLY_NIGHTLY ?? canServe() }, (t) =>
  twice(t, () => playClass(t, enterByHub)),
);

async function playClass(t: TestContext, enter: EnterEditor): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), "benchwright-class-"));
  stack.defer(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const postgres = await Postgres.start();
  if (typeof postgres === "string") {
    t.skip(postgres);
    return;
  }
  stack.use(postgres);
  const proxy = stack.use(await RecordingProxy.start());
  const service = stack.use(await BenchService.open(root, { database: postgres.url, address: proxy.url }));
  proxy.service = service.url;
  // One hidden test of the second sheet is wrong at first.
  await importBus(root, service, (tests) => tests.replace(TURN, `${TURN}        bench.first = 0\n`).replace(AFTER_THE_EDGE, ""));

  const byAda = new ReceivedByBrowser();
  const byBob = new ReceivedByBrowser();
  const folder = await Session.prepare();
  const ada = await Session.begin(folder, { watch: byAda.watch, settings: PLAIN_TYPING });
  stack.defer(() => ada.end());
  const teacher = await Teacher.signIn(ada.editor.page.context().browser()!, service, "Carver Mead");
  await teacher.assign("starter", "Week 1", "2027-01-15T23:59", "saturating-counter load-use-stalls");
  await teacher.assign("bus", "Week 2", "2027-01-22T23:59");
  await teacher.gradeByShare("Week 2", "10");
  const bob = stack.use(await enter(service, proxy.url, BOB, byBob.watch));

  try {
    await signInByDevice(ada.editor, service, proxy.url);
    await Promise.all([adaWorks(ada.editor), bobFails(bob.editor)]);
    await bobCopies(bob.editor);
    await teacherSeesBoth(teacher);
    await importBus(root, service);
    await teacherRegrades(teacher);
    await teacherExports(teacher);
  } catch (error) {
    for (const [name, { page }] of Object.entries({ ada: ada.editor, bob: bob.editor, teacher })) {
      await page.screenshot({ path: join(ARTIFACTS, `failed-class-${name}.png`) }).catch(() => undefined);
    }
    throw error;
  }

  const received = {
    "Ada's browser": await byAda.all(),
    "Bob's browser": await byBob.all(),
    "the service's answers": proxy.answers,
  };
  await ada.close();
  await bob.close();
  for (const [by, texts] of Object.entries(received)) {
    // Whatever holds the statement was really read.
    assert.notDeepEqual(found(texts, ["stops at both ends instead of wrapping around"]), [], by);
    assert.deepEqual(found(texts, SECRETS), [], by);
  }
  for (const place of [folder, bob.folder]) {
    assert.notDeepEqual(await filesHolding(place, ["nxt", "next_count"]), [], place);
    assert.deepEqual(await filesHolding(place, SECRETS), [], place);
  }
  assert.match(await readFile(join(messagesOf(folder), "from-server"), "utf8"), /benchwright\/attemptChanged/);
  assert.equal((await filesHolding(join(homeOf(folder), "data", "receipts"), ['"signature"'])).length, 3);
  assert.notDeepEqual(await filesHolding(join(root, "service", "data", "sealed"), [CANARY]), []);
  assert.deepEqual(await filesHolding(root, SECRETS, [join(root, "service", "data"), join(root, "bus.jsonl")]), []);
}

/** Lines of the arbiter's hidden tests. */
const TURN = "    for _ in range(3 * N):\n        await bench.cycle(ALL)\n";
const AFTER_THE_EDGE = '        await RisingEdge(self.dut.clk)\n        await Timer(1, unit="ns")\n        self.check(req)\n';

/** Puts the pack of the second sheet on the service's machine, in the place of an older one. */
async function importBus(root: string, service: BenchService, edit = (tests: string): string => tests): Promise<void> {
  const source = { id: BUS, problem: "round-robin-arbiter", file: designs.ARBITER, tests: "test_rr_arbiter.py", edit };
  await writeFile(join(root, "bus.jsonl"), `${JSON.stringify(withCanaries(source))}\n`);
  await service.run("problems", "import", "cvdp", join(root, "bus.jsonl"), "--pack", "bus", "--replace");
}

async function signInByDevice(editor: Editor, service: BenchService, address: string): Promise<void> {
  await editor.openBenchwrightView();
  await editor.command("Benchwright: Sign In to a Course…");
  await editor.sees(editor.page.locator(".quick-input-widget"), "The address of the course's bench service");
  await editor.page.keyboard.type(address);
  await editor.page.keyboard.press("Enter");
  await editor.choose("In the Browser");
  const waiting = editor.notification("Confirm the code");
  await waiting.waitFor();
  const code = /code (\w{4}-\w{4})/.exec(await waiting.innerText())?.[1];
  assert.ok(code);
  const page = await editor.page.context().newPage();
  await signInHere(page, address, service.invitation, ADA);
  await page.goto(`${address}/device?code=${code}`);
  await page.getByText(code).waitFor();
  await page.getByRole("button", { name: "Sign it in" }).click();
  await page.getByText("The program is signed in.").waitFor();
  await page.goto(address);
  await page.getByRole("link", { name: "Computer architecture" }).click();
  await page.getByText("Week 2").first().waitFor();
  await page.close();
  await editor.page.bringToFront();
  await editor.notification(`Signed in as ${ADA}: Computer architecture`).waitFor();
  const sheet = editor.page.locator(".pane-body .monaco-list-row", { hasText: "Week 1" });
  await editor.sees(sheet, /0\/2 passed · due Jan 15, 2027/);
  await editor.page.getByRole("button", { name: "Accounts" }).click();
  await editor.page.getByRole("menuitem", { name: /Ada Lovelace, 127\.0\.0\.1:\d+ \(Benchwright\)/ }).waitFor();
  await editor.picture("class-account");
  await editor.page.keyboard.press("Escape");
}

/** Solves the first sheet by hand, and the second as well as its tests let anybody. */
async function adaWorks(editor: Editor): Promise<void> {
  await begin(editor, "Week 1 saturating", COUNTER, designs.COUNTER);
  await typeBody(editor, designs.RIGHT_BODY);
  await editor.webview(".headline.passed", PATIENCE_WITH_RUNS);
  await submit(editor);
  await open(editor, "Week 1 cycles", QUESTION);
  const form = await editor.webview("input[type=radio]");
  await editor.startClock();
  await editor.focusForm(form);
  await form.locator("input[value=C]").click();
  await editor.save();
  await editor.sees(form.locator("[role=status]"), /is correct/);
  await submit(editor);
  await begin(editor, "Week 2", BUS_TITLE, designs.ARBITER);
  await editor.pasteOver(designs.ARBITER, designs.RIGHT_ARBITER);
  await editor.save();
  await editor.webview(".headline.failed", PATIENCE_WITH_RUNS);
}

async function bobFails(editor: Editor): Promise<void> {
  await editor.openBenchwrightView();
  await begin(editor, "Week 1 saturating", COUNTER, designs.COUNTER);
  await typeBody(editor, designs.WRONG_BODY);
  await editor.webview(".headline.failed", PATIENCE_WITH_RUNS);
}

async function bobCopies(editor: Editor): Promise<void> {
  await editor.pasteOver(designs.COUNTER, designs.copiedCounter());
  await editor.save();
  await editor.webview(".headline.passed", PATIENCE_WITH_RUNS);
  await submit(editor);
  await begin(editor, "Week 2", BUS_TITLE, designs.ARBITER);
  await editor.pasteOver(designs.ARBITER, designs.UNFAIR_ARBITER);
  await editor.save();
  await editor.webview(".headline.failed", PATIENCE_WITH_RUNS);
}

async function teacherSeesBoth(teacher: Teacher): Promise<void> {
  const byAda = await teacher.writtenBy(ADA, COUNTER_TITLE, /1 run, passed/);
  assert.deepEqual([...byAda.keys()], ["typed"]);
  const byBob = await teacher.writtenBy(BOB, COUNTER_TITLE, /2 runs, passed/);
  assert.ok(byBob.get("paste")! > byBob.get("typed")!);
  const pairs = await (await teacher.alike(COUNTER_TITLE)).allInnerTexts();
  assert.equal(pairs.length, 1);
  assert.match(pairs[0]!, /^100 %/);
  for (const name of [ADA, BOB]) assert.match(pairs[0]!, new RegExp(`${name}.*\\t${designs.COUNTER}: \\d+–\\d+`));
}

/** The corrected test lets Ada pass, and no longer lets Bob's design pass by chance. */
async function teacherRegrades(teacher: Teacher): Promise<void> {
  const changed = await (await teacher.regrade(BUS_TITLE)).allInnerTexts();
  assert.equal(changed.length, 2);
  assert.match(changed[0]!, new RegExp(`^${ADA}\\s+8.75\\s+10\\s.*failed, 87.5 %.*passed, 100 %`));
  assert.match(changed[1]!, new RegExp(`^${BOB}\\s+2.5\\s+1.25\\s.*failed, 25 %.*failed, 12.5 %`));
  await teacher.acceptRegrade();
}

async function teacherExports(teacher: Teacher): Promise<void> {
  const points = (rows: readonly Record<string, string>[], name: string): unknown[] =>
    rows.map((row) => [row[name], Number(row["Week 1"]), Number(row["Week 2"])]);
  const canvas = await teacher.download("Canvas");
  assert.deepEqual(points(canvas, "Student"), [["    Points Possible", 2, 10], [ADA, 2, 10], [BOB, 1, 1.25]]);
  const moodle = await teacher.download("Moodle");
  assert.deepEqual(points(moodle, "Last name"), [[ADA, 2, 10], [BOB, 1, 1.25]]);
  assert.equal(moodle[1]!.Username, BOB);
}

async function open(editor: Editor, filter: string, title: string): Promise<void> {
  await editor.filterProblems(filter);
  await editor.openProblem(title);
}

async function begin(editor: Editor, filter: string, title: string, file: string): Promise<void> {
  await open(editor, filter, title);
  await editor.file(file).waitFor();
  // The statement takes the focus when it comes.
  await editor.webview("h1[id]");
  await editor.startClock();
}

async function typeBody(editor: Editor, body: string): Promise<void> {
  await editor.typeAtLine(designs.COUNTER, designs.BODY_LINE, body);
  await editor.save();
}

async function submit(editor: Editor): Promise<void> {
  await editor.command("Benchwright: Submit");
  await editor.confirm("Submit");
  await editor.sees(editor.statusBar("clock"), "Submitted");
}

function found(received: readonly Received[], texts: readonly string[]): string[] {
  return received.flatMap(({ from, text }) =>
    texts.filter((one) => text.includes(one)).map((one) => `${from}: ${one}`),
  );
}
