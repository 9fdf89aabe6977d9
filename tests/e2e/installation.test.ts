import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { bareEnvironment, buildWheel, wheelIn } from "./wheel.ts";

const DESIGN = `module top (
    input  logic clk,
    output logic [7:0] count
);
  always_ff @(posedge clk) count <= missing;
endmodule
`;

const home = (folder: string): string => join(folder, "empty-home");
const design = (folder: string): string => join(folder, "design");

let bare: Record<string, string> = {};

scenario(
  "an editor without Benchwright offers to install it, and is complete afterwards",
  {
    skip: ONLY_NIGHTLY,
    before: async (folder) => {
      await mkdir(home(folder));
      await mkdir(design(folder));
      await writeFile(join(design(folder), "top.sv"), DESIGN);
      await buildWheel(folder);
      bare = await bareEnvironment(home(folder));
    },
    environment: () => bare,
    settings: (folder: string) => ({ "benchwright.install.source": wheelIn(folder) }),
    opened: design,
  },
  async ({ editor, folder }) => {
    const message = editor.notification("Benchwright is not installed");
    await editor.sees(message, /no benchwright program was found/);
    await editor.openBenchwrightView();
    await editor.sees(editor.page.locator(".pane-body .welcome-view-content"), "Benchwright is not installed.");
    const picture = await editor.picture("install-missing");
    if (process.env.UPDATE_SCREENSHOT) await writeFile(join(ROOT, "docs", "images", "install.png"), picture);

    await message.getByRole("button", { name: "Install Benchwright" }).click();
    await editor.sees(editor.notification("Installing Benchwright"), /Creating an environment|Installing packages|Collecting/);
    await editor.picture("install-progress");

    const storage = join(folder, "editor", "user-data", "User", "globalStorage", "benchwright.benchwright", "server");
    await untilInstalled(storage);
    const doctor = await editor.webview("h1:text-is('Benchwright Doctor')");
    await editor.sees(doctor.locator("body"), /Toolchain/);
    await editor.picture("install-doctor");
    await editor.sees(editor.problem("Saturating up/down counter"), "Saturating");

    await editor.openFile("top.sv");
    await editor.squiggles().first().waitFor();
    await editor.goTo("top.sv", 5, 28);
    await editor.sees(await editor.hover(), /count/);
    await editor.picture("install-language");
    assert.equal((await readdir(storage)).length, 1);
  },
);

/** Waits for a complete environment: on a busy machine with a slow network that takes minutes. */
async function untilInstalled(storage: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const [environment = ""] = await readdir(storage).catch(() => []);
    if (existsSync(join(storage, environment, "complete.json"))) return;
    await sleep(1000);
  }
  assert.fail("Benchwright was not installed within ten minutes.");
}
