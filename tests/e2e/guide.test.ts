import assert from "node:assert/strict";
import { faultsOfPages, namelessControls } from "./accessibility.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { starterFile } from "./starter.ts";

const PROBLEM = "saturating-counter";
const FILE = "rtl/sat_counter.sv";
const START = starterFile(PROBLEM, "public", FILE);
const WRITTEN = (line: string) => START.replace("// Your code goes here.", line);

scenario("the guide follows what is done from the statement to submitting, and can be left and continued", { skip: ONLY_NIGHTLY }, async (session) => {
  const { editor } = session;
  await editor.command("Benchwright: Start the Guided Problem");
  await editor.file(FILE).waitFor();
  const guide = await editor.webview("ol.guide");
  const now = guide.locator("li[aria-current=step]");
  await editor.sees(now, /Read the statement and start the clock/);
  assert.deepEqual([...(await faultsOfPages(editor.page)), ...(await namelessControls(editor.page))], []);
  await guide.getByRole("button", { name: "Start the Clock" }).press("Enter");
  await editor.sees(now, /Write a line with an error/);

  await editor.pasteOver(FILE, WRITTEN("assign at_max = cout == '1;"));
  await editor.sees(now, /Find the error and correct it/);
  await editor.picture("guide-error");
  await editor.command("Benchwright: Leave the Guide");
  await now.waitFor({ state: "hidden" });
  await editor.command("Benchwright: Start the Guided Problem");
  const again = await editor.webview("ol.guide");
  const step = again.locator("li[aria-current=step]");
  await editor.sees(step, /Find the error and correct it/);

  await editor.pasteOver(FILE, WRITTEN("assign at_max = count == '1;"));
  await editor.sees(step, /Save, and let the hidden tests fail/);
  await editor.save();
  await editor.sees(editor.statusBar("verdict"), /\d+\/\d+ passed/);
  await editor.sees(step, /Read what failed/);
  await again.getByRole("button", { name: "Show Results" }).press("Enter");
  await editor.sees(step, /Take a hint/);
  await again.getByRole("button", { name: "Take a Hint…" }).press("Enter");
  await editor.confirm("Take Hint");
  await editor.sees(step, /Write the counter until all tests pass/);
  await editor.pasteOver(FILE, starterFile(PROBLEM, "hidden", "reference", FILE));
  await editor.save();
  await editor.sees(step, /Submitting grades your files/);
  await again.getByRole("button", { name: "Submit" }).press("Enter");
  await editor.confirm("Submit");
  await editor.sees(again.locator("[role=status]"), "All steps are done.");
  await editor.picture("guide-done");

  await editor.command("View: Close All Editors");
  await editor.command("Benchwright: Show My Numbers");
  const numbers = await editor.webview("h1#my-numbers");
  await editor.sees(numbers.locator("main"), /There are no attempts yet/);
});
