import { after } from "node:test";
import { BenchService } from "./benchService.ts";
import type { Editor } from "./editor.ts";
import { Participant } from "./participant.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
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
  },
);
