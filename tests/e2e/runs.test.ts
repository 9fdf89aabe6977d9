import assert from "node:assert/strict";
import { listAttempts } from "./commandLine.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { starterFile } from "./starter.ts";

const PROBLEM = "saturating-counter";
const FILE = "rtl/sat_counter.sv";

/** Compiles, and keeps the simulation busy for ever. */
const ENDLESS = starterFile(PROBLEM, "hidden", "reference", FILE).replace(
  "endmodule",
  "    always @(posedge clk) forever begin end\n\nendmodule",
);

scenario("a run is begun in the Test Explorer, and one that does not end is cancelled", { skip: ONLY_NIGHTLY }, async (session) => {
  const { editor, folder } = session;
  await editor.openBenchwrightView();
  await editor.openProblem("Saturating up/down counter");
  await editor.file(FILE).waitFor();
  // It takes the focus, and a palette that is open then is closed.
  await editor.page.getByRole("tab", { name: /README/ }).waitFor();

  await editor.command("Testing: Focus on Test Explorer View");
  // Where there are none yet, it runs none, without a word.
  await editor.testItem().waitFor();
  await editor.commandShows("Test: Run All Tests", editor.dialog());
  await editor.confirm("Start the Clock");
  await editor.testItem("failed").waitFor();
  await editor.sees(editor.statusBar("verdict"), /\d+\/\d+/);

  await editor.pasteOver(FILE, ENDLESS);
  await editor.save();
  await editor.sees(editor.statusBar("verdict"), /run \d+ running/);
  await editor.testItem("running").waitFor();
  await editor.page.waitForTimeout(1500);
  await editor.command("Benchwright: Cancel Run");
  await editor.notRunning();
  await editor.testItem("skipped").or(editor.testItem("errored")).waitFor();

  await editor.pasteOver(FILE, starterFile(PROBLEM, "hidden", "reference", FILE));
  await editor.save();
  await editor.sees(editor.statusBar("verdict"), /(\d+)\/\1 passed$/);
  await editor.testItem("passed").waitFor();
  const [attempt] = await listAttempts(folder);
  assert.equal(attempt?.verdict, "passed");
});
