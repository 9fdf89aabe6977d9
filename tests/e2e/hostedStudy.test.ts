import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import type { Browser } from "playwright-core";
import { faultsOfPage } from "./accessibility.ts";
import { BenchService } from "./benchService.ts";
import type { Editor } from "./editor.ts";
import { ARTIFACTS, ROOT } from "./installation.ts";
import { Participant } from "./participant.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { signedIn } from "./signIn.ts";
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

const STUDY = `
study: counters
title: A study of counters
problems: [starter/saturating-counter]
conditions: [{name: alone, solver: human}]
participants: 4
randomisation: {seed: 7}
forecasts: [difficulty]
self_estimates: []
consent: {version: "1", text: "You agree that what you type here is sent to the lab."}
analysis: {primary: time}
data: {to: service}
`;

scenario(
  "a participant joins a study by its invitation, and gets the task once the forecast is at the service; its owner sees it end, and closes it",
  {
    skip: ONLY_NIGHTLY,
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
    await closed(editor.page.context().browser()!, service);
  },
);

/** The owner's pages of the study: who has finished, and what closing leaves. */
async function closed(browser: Browser, service: BenchService): Promise<void> {
  const viewport = { width: 1024, height: 700 };
  const page = await signedIn(browser, service.url, service.ownersInvitation, "Carver Mead", { colorScheme: "light", viewport });
  const keep = async (name: string): Promise<void> => {
    const picture = await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
    if (process.env.UPDATE_SCREENSHOT) await writeFile(join(ROOT, "docs", "images", `${name}.png`), picture);
  };
  await page.getByRole("link", { name: "A study of counters" }).click();
  await page.locator("tbody td", { hasText: "finished" }).waitFor();
  assert.deepEqual(await faultsOfPage(page), []);
  await keep("study-watch");
  await page.getByRole("link", { name: "Close the study" }).click();
  await page.getByLabel("Type the study’s id").fill("counters");
  await page.getByRole("button", { name: "Close the study" }).click();
  await page.getByRole("link", { name: "Read the report" }).waitFor({ timeout: 300_000 });
  assert.deepEqual(await faultsOfPage(page), []);
  await keep("study-closed");
  await page.context().close();
}
