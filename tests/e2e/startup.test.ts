import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Editor } from "./editor.ts";
import { installed } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { homeOf } from "./session.ts";

const elsewhere = (folder: string): string => join(folder, "elsewhere");

scenario(
  "an editor that was started for Benchwright shows its problems and the first steps without a click; they are filtered and grouped",
  { settings: { "benchwright.showAtStart": true } },
  async ({ editor }) => {
    await editor.sees(editor.problem("Saturating up/down counter"), "Saturating");
    const steps = editor.page.locator(".gettingStartedContainer");
    await editor.sees(steps, /Choose a problem[\s\S]*Start the clock[\s\S]*Write, and save[\s\S]*Submit/);
    await editor.picture("first-steps");
    await listIsFilteredAndGrouped(editor);
  },
);

/** The filter works while words are typed. */
async function listIsFilteredAndGrouped(editor: Editor): Promise<void> {
  await editor.command("Benchwright: Filter Problems…");
  await editor.page.locator(".quick-input-widget input").first().fill("design lint");
  await editor.sees(editor.problem("Lint-clean statistics"), "Lint-clean statistics");
  await editor.problem("Saturating up/down counter").waitFor({ state: "detached" });
  await editor.answer("design lint");
  await editor.sees(editor.page.locator(".pane-header", { hasText: "Problem List" }), /“design lint”: 1 of \d+/);
  await editor.command("Benchwright: Clear Filter");
  await editor.sees(editor.problem("Saturating up/down counter"), "Saturating");
  await editor.commandAndChoose("Benchwright: Group Problems By…", "Difficulty");
  await editor.sees(editor.problem("easy"), /easy\s*\d+\/\d+ passed/);
  await editor.picture("problem-list");
}

scenario(
  "while the server starts, the list is there as it was, and says so",
  { settings: { "benchwright.showAtStart": true }, skip: ONLY_NIGHTLY },
  async ({ editor, folder }) => {
    await editor.problem("Saturating up/down counter").waitFor();
    const [slow, go] = [join(folder, "slow"), join(folder, "go")];
    await writeFile(slow, `#!/bin/sh\nwhile [ ! -e '${go}' ]; do sleep 0.1; done\nexec '${installed().benchwright}' "$@"\n`, { mode: 0o755 });
    await useServer(folder, slow);
    await editor.page.reload();
    await editor.problem("Saturating up/down counter").waitFor();
    await editor.listOfLastTime().waitFor();
    await editor.picture("list-of-last-time");
    await editor.problem("Saturating up/down counter").click();
    await writeFile(go, "");
    await editor.listIsRead();
    await editor.file("rtl/sat_counter.sv").waitFor();
  },
);

scenario(
  "opening a problem in a window on another folder goes on after the window has changed to the workspace",
  {
    skip: ONLY_NIGHTLY,
    before: async (folder) => {
      await mkdir(elsewhere(folder));
    },
    opened: elsewhere,
  },
  async ({ editor }) => {
    await editor.openBenchwrightView();
    await editor.openProblem("FIFO with level flags");
    await editor.file("rtl/sync_fifo.sv").waitFor();
    await editor.webview("h1#fifo-with-level-flags");
    await editor.sees(editor.statusBar("clock"), "Start");
    await editor.sees(editor.problem("FIFO with level flags"), "FIFO with");
  },
);

scenario(
  "without a server the editor says what to do, and goes on once there is one",
  { skip: ONLY_NIGHTLY, before: (folder) => useServer(folder, "/bin/false") },
  async ({ editor, folder }) => {
    await editor.openBenchwrightView();
    await editor.sees(editor.page.locator(".pane-body .welcome-view-content"), "did not start");
    await editor.sees(editor.notification("did not start"), /benchwright\.server\.command/);
    await editor.command("Benchwright: Doctor");
    await editor.sees(
      (await editor.webview("h1:text-is('Benchwright Doctor')")).locator("body"),
      /The server is not running[\s\S]*\.\/run/,
    );
    await editor.picture("no-server");

    await useServer(folder, installed().benchwright);
    await editor.command("Benchwright: Refresh Problem List");
    await editor.sees(editor.problem("Saturating up/down counter"), "Saturating");
    await editor.command("Benchwright: Doctor");
    await editor.sees((await editor.webview("table")).locator("body"), "icarus-13");
    await editor.picture("doctor");
  },
);

async function useServer(folder: string, command: string): Promise<void> {
  await writeFile(join(homeOf(folder), "data", "server-command"), `${command}\n`);
}
