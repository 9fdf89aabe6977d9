import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { benchwright, listAttempts } from "./commandLine.ts";
import { LoggedAttempt } from "./studyReport.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";

scenario("looking away from the editor and back is in the attempt's log", { skip: ONLY_NIGHTLY }, async ({ editor, folder }) => {
  await editor.openBenchwrightView();
  await editor.openProblem("Saturating up/down counter");
  await editor.sees(editor.statusBar("clock"), "Start");
  await editor.startClock();
  await editor.lookAway(() => untilLogged(folder, [false]));
  await untilLogged(folder, [false, true]);
});

/** Waits until the log of the only attempt says so often that the window gained or lost the keyboard, and just that. */
async function untilLogged(folder: string, wanted: readonly boolean[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const [attempt] = await listAttempts(folder);
    assert.ok(attempt);
    const events = new LoggedAttempt(await benchwright(folder, "attempts", "export", attempt.id)).of("focus");
    if (events.length >= wanted.length || tries >= 60) {
      assert.deepEqual(
        events.map(({ focused }) => focused),
        wanted,
      );
      return;
    }
    await sleep(500);
  }
}
