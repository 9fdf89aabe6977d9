import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import { BenchService } from "./benchService.ts";
import { loggedIn } from "./editorInBrowser.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { messagesOf, type Session } from "./session.ts";

const COUNTER = { title: "Saturating up/down counter", file: "rtl/sat_counter.sv" };
const FIFO = { title: "FIFO with level flags", file: "rtl/sync_fifo.sv" };
const SWITCHES = { "editor.inlineSuggest.enabled": true, "chat.disableAIFeatures": false };
const SWITCHED_OFF = { "editor.inlineSuggest.enabled": false, "chat.disableAIFeatures": true };

const services: BenchService[] = [];
after(async () => {
  for (const service of services) await service[Symbol.asyncDispose]();
});

/** Commands of aids, each offered in a file of a design where the aid is allowed. */
const AID_COMMANDS = ["What Drives This", "Show Schematic", "New Testbench", "Explain Failure", "Show Waveform", "Take a Hint…"];
/** What the results offer after a failure where aids are allowed. */
const AID_BUTTONS = ["Explain the Failure", "Take a Hint…"];

scenario(
  "an assignment without help has the editor's AI and Benchwright's aids switched off while it is worked on, and no other has",
  {
    skip: ONLY_NIGHTLY,
    before: async (folder) => {
      const service = await BenchService.open(folder, {});
      services.push(service);
      const assign = ["course", "assign", "arch", "starter", "--title"];
      await service.run(...assign, "Alone", "--problem", "saturating-counter", "--assistance", "none", "--no-aids");
      await service.run(...assign, "Helped", "--problem", "sync-fifo", "--assistance", "chat");
      await loggedIn(folder, service, service.url, "ada");
    },
    settings: SWITCHES,
  },
  async (session) => {
    await session.editor.openBenchwrightView();
    await begin(session, "Alone", COUNTER);
    await until(session, SWITCHED_OFF, "Alone");
    const features = await reportedFeatures(session);
    assert.notDeepEqual(features, {});
    assert.deepEqual(Object.entries(features).filter(([, isOn]) => isOn), []);
    await hasAids(session, COUNTER, false);

    await begin(session, "Helped", FIFO);
    await until(session, {}, "Helped");
    assert.equal((await reportedFeatures(session))["editor.inlineSuggest.enabled"], true);
    await hasAids(session, FIFO, true);

    await begin(session, "Alone", COUNTER);
    await until(session, SWITCHED_OFF, "Alone again");
  },
);

async function begin({ editor }: Session, assignment: string, problem: typeof COUNTER): Promise<void> {
  await editor.filterProblems(`${assignment} ${problem.title}`);
  await editor.openProblem(problem.title);
  await editor.file(problem.file).waitFor();
  await editor.webview("h1[id]");
  await editor.startClock();
}

/** Waits until the palette and the results of a failure offer aids, or none. */
async function hasAids({ editor }: Session, { file }: typeof COUNTER, allowed: boolean): Promise<void> {
  await editor.focusFile(file);
  for (const title of AID_COMMANDS) await editor.offers(`Benchwright: ${title}`, allowed);
  await editor.command("Benchwright: Run Hidden Tests");
  const failed = await editor.webview(".headline.failed");
  const buttons = failed.getByRole("button");
  await editor.sees(buttons, "Submit");
  const shown = (await buttons.allInnerTexts()).filter((text) => AID_BUTTONS.includes(text));
  assert.deepEqual(shown, allowed ? AID_BUTTONS : []);
  await editor.picture(allowed ? "aids-allowed" : "aids-forbidden");
}

/** Waits until the settings of the open folder say nothing but this of AI, and the server was told. */
async function until(session: Session, wanted: object, when: string): Promise<void> {
  const file = join(session.workspaces, ".vscode", "settings.json");
  const told = wanted === SWITCHED_OFF ? false : true;
  let [found, reported] = [{}, {}] as [object, Record<string, boolean>];
  for (const deadline = Date.now() + 90_000; Date.now() < deadline; ) {
    found = await settingsIn(file);
    reported = await reportedFeatures(session);
    if (same(found, wanted) && reported["editor.inlineSuggest.enabled"] === told) return;
    await session.editor.page.waitForTimeout(100);
  }
  assert.fail(`${when}: ${JSON.stringify({ found, reported })}`);
}

/** What a file of settings says; nothing while the editor is writing it, which leaves it empty for a moment. */
async function settingsIn(file: string): Promise<object> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as object;
  } catch {
    return {};
  }
}

function same(found: object, wanted: object): boolean {
  const ofAi = Object.entries(found).filter(([name]) => name in SWITCHES);
  return JSON.stringify(ofAi.sort()) === JSON.stringify(Object.entries(wanted).sort());
}

/** Which AI features the editor has told its server to be on, the last time. */
async function reportedFeatures(session: Session): Promise<Record<string, boolean>> {
  const sent = await readFile(join(messagesOf(session.folder), "to-server"), "utf8");
  const last = [...sent.matchAll(/"aiFeatures":(\{[^}]*\})/g)].at(-1)?.[1];
  return JSON.parse(last ?? "{}") as Record<string, boolean>;
}
