import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import type { Page } from "playwright-core";
import { BenchService } from "./benchService.ts";
import { listAttempts } from "./commandLine.ts";
import type { Editor } from "./editor.ts";
import { Participant } from "./participant.ts";
import { scenario } from "./scenario.ts";
import { homeOf } from "./session.ts";
import { starterFile } from "./starter.ts";

const COUNTER = "rtl/sat_counter.sv";
const TITLE = "Saturating up/down counter";

const services: BenchService[] = [];
after(async () => {
  for (const service of services) await service[Symbol.asyncDispose]();
});

async function signIn(editor: Editor, service: BenchService): Promise<void> {
  await editor.command("Benchwright: Sign In to a Course…");
  const asked = editor.page.locator(".quick-input-widget");
  for (const [prompt, answer] of [
    ["The address of the course's bench service", service.url],
    ["With an Invitation", "With an Invitation"],
    ["The invitation", service.invitation],
    ["Your name", "Ada Lovelace"],
  ] as const) {
    await editor.sees(asked, prompt);
    await editor.page.keyboard.type(answer);
    await editor.page.keyboard.press("Enter");
  }
}

/** A browser's page that is signed in at the service; the editor's own page goes on. */
async function servicePage(editor: Editor, service: BenchService, invitation: string, name: string): Promise<Page> {
  const context = await editor.page.context().browser()!.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.goto(`${service.url}/sign-in`);
  await page.getByLabel("Invitation or token").fill(invitation);
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Your courses" }).waitFor();
  return page;
}

async function signInByBrowser(editor: Editor, service: BenchService): Promise<void> {
  await editor.command("Benchwright: Sign In to a Course…");
  const asked = editor.page.locator(".quick-input-widget");
  await editor.sees(asked, "The address of the course's bench service");
  await editor.page.keyboard.type(service.url);
  await editor.page.keyboard.press("Enter");
  await editor.choose("In the Browser");
  const waiting = editor.notification("Confirm the code");
  await waiting.waitFor();
  const code = /code (\w{4}-\w{4})/.exec(await waiting.innerText())?.[1];
  assert.ok(code);
  await editor.picture("course-code");
  const page = await servicePage(editor, service, service.invitation, "Ada Lovelace");
  await page.goto(`${service.url}/device?code=${code}`);
  await page.getByText(code).waitFor();
  await page.getByRole("button", { name: "Sign it in" }).click();
  await page.getByText("The program is signed in.").waitFor();
  await page.context().close();
}

scenario(
  "a student signs in by the browser, works where hidden tests are not, and the teacher sees and grades it",
  {
    before: async (folder) => {
      services.push(await BenchService.start(folder, "Week 1", "2027-01-15"));
    },
  },
  async ({ editor, folder }) => {
    const service = services.at(-1)!;
    await editor.openBenchwrightView();
    await signInByBrowser(editor, service);
    await editor.notification("Signed in as Ada Lovelace: Computer architecture").waitFor();
    const assignment = editor.page.locator(".pane-body .monaco-list-row", { hasText: "Week 1" });
    await editor.sees(assignment, /0\/15 passed · due Jan 15, 2027/);
    await editor.picture("course-signed-in");
    await editor.page.getByRole("button", { name: "Accounts" }).click();
    await editor.page.getByRole("menuitem", { name: /Ada Lovelace, 127\.0\.0\.1:\d+ \(Benchwright\)/ }).waitFor();
    await editor.picture("course-account");
    await editor.page.keyboard.press("Escape");

    // The starter pack of this machine has the same problems.
    await editor.command("Benchwright: Filter Problems…");
    await editor.answer("Week 1 saturating");
    await editor.openProblem(TITLE);
    await editor.file(COUNTER).waitFor();
    await editor.startClock();
    await editor.pasteOver(COUNTER, starterFile("saturating-counter", "hidden", "wrong", "wraps", COUNTER));
    await editor.save();
    await editor.webview(".headline.failed");
    await editor.pasteOver(COUNTER, starterFile("saturating-counter", "hidden", "reference", COUNTER));
    await editor.save();
    await editor.webview(".headline.passed");
    await editor.picture("course-passed");
    await editor.command("Benchwright: Submit");
    await editor.confirm("Submit");
    await editor.notification("submitted").waitFor();

    const [attempt] = await listAttempts(folder);
    assert.match(attempt!.problem, /^arch-week-1\//);
    assert.deepEqual(await readdir(join(homeOf(folder), "data", "receipts")), [`${attempt!.id}.jsonl`]);
    const receipts = await readFile(join(homeOf(folder), "data", "receipts", `${attempt!.id}.jsonl`), "utf8");
    assert.match(receipts, /"signature"/);
    await assert.rejects(readdir(join(homeOf(folder), "data", "sealed", "arch-week-1")));

    const teacher = await servicePage(editor, service, service.ownersInvitation, "Carver Mead");
    await teacher.getByRole("link", { name: "Computer architecture" }).click();
    await teacher.getByRole("link", { name: "Progress" }).click();
    await teacher.getByRole("link", { name: /2 runs, passed/ }).click();
    await teacher.getByRole("heading", { name: "Ada Lovelace: saturating-counter" }).waitFor();
    await teacher.getByText("Some hidden tests failed.").waitFor();
    await teacher.goto(`${service.url}/courses/arch/grades`);
    await teacher.getByRole("link", { name: "Ada Lovelace, Week 1: 1" }).click();
    await teacher.getByRole("heading", { name: "Ada Lovelace: Week 1" }).waitFor();
    await teacher.context().close();
  },
);

const STUDY = `
study: counters
title: A study of counters
problems: [starter/saturating-counter]
conditions: [{name: alone, solver: human}]
participants: 1
randomisation: {seed: 7}
forecasts: [difficulty]
self_estimates: []
consent: {version: "1", text: "You agree that what you type here is sent to the lab."}
analysis: {primary: time}
data: {to: service}
`;

scenario(
  "a participant joins a study by its invitation, and gets the task once the forecast is at the service",
  {
    before: async (folder) => {
      services.push(await BenchService.conduct(folder, "counters", STUDY));
    },
  },
  async ({ editor }) => {
    const service = services.at(-1)!;
    const participant = new Participant(editor);
    await editor.openBenchwrightView();
    await signIn(editor, service);
    await editor.notification("Signed in as Ada Lovelace: A study of counters").waitFor();
    await editor.sees(editor.problem("A study of counters"), /0 of 1 task/);
    await editor.openProblem("A study of counters");
    const consent = await participant.page("Do you want to take part?");
    await editor.sees(consent.locator("main"), `your records are written to ${service.url}`);
    await editor.picture("course-study-consent");
    await participant.press(consent, "I Agree");
    service.pause();
    await participant.fillIn(await participant.page(/What do you expect/), { difficulty: "2" });
    const waiting = await participant.page("Waiting for your first task");
    await editor.picture("course-study-waiting");
    service.goOn();
    await participant.press(waiting, "Try Again Now");
    await participant.press(await participant.page("Next: Saturating up/down counter"), "Open the Task");
    await participant.press(await participant.page(TITLE), "Start the Clock");
    await editor.hasFocus(COUNTER);
    await editor.pasteOver(COUNTER, starterFile("saturating-counter", "hidden", "reference", COUNTER));
    await editor.save();
    await editor.webview(".headline.passed");
    await editor.command("Benchwright: Submit");
    await editor.confirm("Submit");
    const done = await participant.page("Thank you");
    await editor.sees(done.locator("main"), `Your records were written to ${service.url}`);
    await editor.picture("course-study-finished");
  },
);
