import assert from "node:assert/strict";
import { after } from "node:test";
import { faultsOfPages } from "./accessibility.ts";
import { benchwright, listAttempts } from "./commandLine.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { ScriptedJudge } from "./scriptedJudge.ts";
import type { Session } from "./session.ts";
import { LoggedAttempt } from "./studyReport.ts";

interface JudgedBy {
  readonly method: string;
  readonly status: string;
  readonly rubric: string;
  readonly votes: readonly { readonly judge: string; readonly label: string }[];
  readonly cost_usd: number;
}

const judges: ScriptedJudge[] = [];
after(async () => {
  for (const judge of judges) await judge[Symbol.asyncDispose]();
});

const setUp = async (folder: string): Promise<void> => {
  judges.push(await ScriptedJudge.setUp(folder));
};

scenario(
  "a question of each format is answered by keyboard, judged, and logged with its votes",
  { skip: ONLY_NIGHTLY, before: setUp },
  async (session) => {
    const { editor } = session;
    const { keyboard } = editor.page;

    await open(session, "Which circuit is this?");
    const statement = await editor.webview("img[alt^='Inputs a, s and b']");
    await statement.locator("img").evaluate((image: HTMLImageElement) => image.decode());
    await keyboard.press("ArrowDown");
    await editor.picture("question-figure");
    await handIn(session, /is correct/);

    await open(session, "Peak memory bandwidth");
    await keyboard.type("25600 MB/s");
    await sees(session, "#length", /2 words/);
    await handIn(session, /is correct/);

    await open(session, "Why a reorder buffer?");
    await keyboard.type("A precise exception needs program order, because younger instructions may have finished.");
    await judgeIt(session, /give 10 of 10 points/);
    await editor.picture("question-judged");

    await open(session, "Two stores, two loads");
    await keyboard.type("No idea.");
    await judgeIt(session, /call the answer incorrect/);

    assert.deepEqual(await methods(session, "gates-of-a-figure"), ["deterministic"]);
    assert.deepEqual(await methods(session, "memory-bandwidth"), ["deterministic"]);
    for (const problem of ["reorder-buffer", "store-buffering"]) {
      const [judged] = await judgedBy(session, problem);
      assert.deepEqual([judged?.method, judged?.status, judged?.votes.length], ["model", "scored", 2]);
      assert.match(judged!.rubric, /^(open-ended|free-response)@[0-9a-f]{12}$/);
      assert.equal(judged!.cost_usd, 2 * (1000 * 2e-6 + 100 * 10e-6));
    }
    assert.equal(judges.at(-1)?.asked, 4);
  },
);

scenario("without a judge an answer waits for people, and a question can change its language", { skip: ONLY_NIGHTLY }, async (session) => {
  await opensInOtherLanguage(session);
  await twoPeopleGradeBlind(session);
});

async function opensInOtherLanguage(session: Session): Promise<void> {
  const { editor } = session;
  await open(session, "Speed-up on four cores");
  const form = await editor.webview("select#language");
  await editor.sees(form.locator("select option:checked"), "English");
  await form.locator("select").selectOption({ label: "Deutsch" });
  // The preview beside it has the same heading.
  const german = await editor.webview("main:has(h1:text-is('Schneller auf vier Kernen')) fieldset");
  await editor.sees(german.locator("fieldset"), "2,5");
  await editor.picture("question-language");
}

/** By keyboard. */
async function twoPeopleGradeBlind(session: Session): Promise<void> {
  const { editor, folder } = session;
  await open(session, "Two stores, two loads");
  await editor.page.keyboard.type("A fence on both cores.");
  await judgeIt(session, /waiting for a judge/);

  for (const grader of ["ann", "ben"]) {
    await editor.command("View: Close All Editors");
    await editor.command("Benchwright: Grade Answers");
    await editor.answer(grader);
    const view = await editor.webview("fieldset.scale");
    await editor.sees(view.locator("main"), /Reference answer[\s\S]*Answer to grade[\s\S]*A fence on both cores\./);
    await view.locator("input[name=label][value='partially correct']").focus();
    await editor.page.keyboard.press("Space");
    await view.locator("input[name=difficulty][value='2']").focus();
    await editor.page.keyboard.press("Space");
    await editor.picture(`grading-${grader}`);
    assert.deepEqual(await faultsOfPages(editor.page), []);
    await editor.page.keyboard.press("Control+Enter");
    await editor.sees(view.locator("[role=status]"), "You graded 1 answer.");
  }
  const waiting: unknown = JSON.parse(await benchwright(folder, "judge", "pending", "--json"));
  assert.deepEqual(waiting, []);
}

/** Opens a question with nothing else on the screen, starts its clock, and waits until the keyboard is in its form. */
async function open(session: Session, title: string): Promise<void> {
  const { editor } = session;
  await editor.command("View: Close All Editors");
  await editor.commandAndChoose("Benchwright: Open Problem…", title);
  const form = await editor.webview(`main:has(h1:text-is("${title}")) form`);
  await editor.startClock();
  await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);
  await editor.focusForm(form);
}

async function handIn(session: Session, result: RegExp): Promise<void> {
  await session.editor.save();
  await sees(session, "p.headline", result);
}

/** Saving alone asks no judge: that costs money. Running saves. */
async function judgeIt(session: Session, result: RegExp): Promise<void> {
  await session.editor.command("Benchwright: Run Hidden Tests");
  await sees(session, "p.headline", result);
}

async function sees(session: Session, place: string, text: RegExp): Promise<void> {
  const form = await session.editor.webview(`main:has(form h1) ${place}`);
  await session.editor.sees(form.locator(place), text);
}

async function judgedBy({ folder }: Session, problem: string): Promise<JudgedBy[]> {
  const attempt = (await listAttempts(folder)).find((listed) => listed.problem === `starter/${problem}`);
  assert.ok(attempt, `There is no attempt at ${problem}.`);
  const logged = new LoggedAttempt(await benchwright(folder, "attempts", "export", attempt.id));
  return logged.of("answered").map(({ judged_by }) => judged_by as JudgedBy);
}

async function methods(session: Session, problem: string): Promise<string[]> {
  return (await judgedBy(session, problem)).map(({ method }) => method);
}
