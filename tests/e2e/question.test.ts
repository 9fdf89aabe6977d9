import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listAttempts } from "./commandLine.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";

const PROBLEM = "load-use-stalls";
const TITLE = "Cycles of a short program";

scenario("a question is opened, answered and scored by keyboard alone", { skip: ONLY_NIGHTLY }, async (session) => {
  const { editor, folder } = session;
  const { keyboard } = editor.page;

  await editor.commandAndChoose("Benchwright: Open Problem…", TITLE);
  const form = await editor.webview("input[type=radio]");
  await editor.sees(form.locator("main"), /Choose one answer[\s\S]*A\s+9 cycles[\s\S]*D\s+15 cycles/);
  await editor.sees(
    (await editor.webview("h1#cycles-of-a-short-program")).locator("body"),
    "lw",
  );

  await editor.startClock();
  await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);
  await editor.focusForm(form);

  await keyboard.press("ArrowDown");
  await form.locator("input[value=B]:checked").waitFor();
  await editor.save();
  await editor.sees(form.locator("[role=status]"), /is incorrect/);
  await editor.sees(editor.statusBar("verdict"), "incorrect");

  await keyboard.press("ArrowDown");
  await form.locator("input[value=C]:checked").waitFor();
  await editor.save();
  await editor.sees(form.locator("[role=status]"), /is correct/);
  await editor.sees(editor.statusBar("verdict"), /^\s*correct$/);
  await editor.picture("question");

  assert.equal(await readFile(join(session.workspaces, "starter", PROBLEM, "answer.md"), "utf8"), "C\n");
  const attempts = await listAttempts(folder);
  assert.deepEqual(
    attempts.map(({ problem, verdict, runs }) => [problem, verdict, runs]),
    [[`starter/${PROBLEM}`, "passed", 2]],
  );

  // Several answers may be right, and each has a check box.
  await editor.commandAndChoose("Benchwright: Open Problem…", "Pairs that need no stall");
  const boxes = await editor.webview("input[type=checkbox]");
  await editor.sees(boxes.locator("legend"), "Choose every right answer");
  await editor.startClock();
  await editor.focusForm(boxes);
  await keyboard.press("Space");
  await editor.save();
  await editor.sees(boxes.locator("[role=status]"), /is incorrect/);
  await keyboard.press("Tab");
  await keyboard.press("Tab");
  await keyboard.press("Space");
  await boxes.locator("input[value=C]:checked").waitFor();
  await editor.save();
  await editor.sees(boxes.locator("[role=status]"), /is correct/);
  await editor.picture("question-several");
  assert.equal(await readFile(join(session.workspaces, "starter", "forwarding-pairs", "answer.md"), "utf8"), "AC\n");

  // A number's unit has a field of its own.
  await editor.commandAndChoose("Benchwright: Open Problem…", "Peak memory bandwidth");
  const blank = await editor.webview("#unit");
  await editor.startClock();
  await editor.focusForm(blank);
  await keyboard.type("25600");
  await keyboard.press("Tab");
  await keyboard.type("MB/s");
  await editor.save();
  await editor.sees(blank.locator("[role=status]"), /is correct/);
  await editor.picture("question-blank");
  assert.equal(await readFile(join(session.workspaces, "starter", "memory-bandwidth", "answer.md"), "utf8"), "25600 MB/s\n");
});
