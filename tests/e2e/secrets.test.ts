import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CANARY, withCanaries } from "./canaries.ts";
import { benchwright, listAttempts } from "./commandLine.ts";
import { filesBelow, filesHolding } from "./foundFiles.ts";
import { scenario } from "./scenario.ts";
import { homeOf, messagesOf } from "./session.ts";
import { starterFile } from "./starter.ts";

const PROBLEM = "saturating-counter";
const FILE = "rtl/sat_counter.sv";
const PACK = "canaries";
const ID = "cvdp_canary_counter_0001";
const DATAPOINT = withCanaries({ id: ID, problem: PROBLEM, file: FILE, tests: "test_sat_counter.py" });

scenario(
  "nothing of the hidden part leaves the store, and nothing goes to another machine",
  {
    before: async (folder) => {
      const dataset = join(folder, "canaries.jsonl");
      await writeFile(dataset, `${JSON.stringify(DATAPOINT)}\n`);
      await benchwright(folder, "problems", "import", "cvdp", dataset, "--pack", PACK);
    },
  },
  async (session) => {
    const { editor, folder } = session;
    await editor.openBenchwrightView();
    await editor.commandAndChoose("Benchwright: Open Problem…", "counter 0001");
    await editor.file(FILE).waitFor();
    await editor.startClock();
    await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);

    const attempts = [
      ["a design that does not build", "module sat_counter oops\n", "1"],
      ["a wrong design", starterFile(PROBLEM, "hidden", "wrong", "wraps", FILE), "2"],
      ["the reference", starterFile(PROBLEM, "hidden", "reference", FILE), "3"],
    ] as const;
    for (const [, text, number] of attempts) {
      await editor.pasteOver(FILE, text);
      await editor.save();
      await editor.sees((await editor.webview("dl")).locator("main"), new RegExp(`Run\\s+${number}\\s+Run time`));
    }
    await editor.sees(editor.statusBar("verdict"), /(\d+)\/\1$|passed/);
    await editor.command("Benchwright: Submit");
    await editor.confirm("Submit");
    await editor.sees(editor.statusBar("clock"), "Submitted");
    await editor.command("Benchwright: Doctor");
    await editor.webview("h1:text-is('Benchwright Doctor')");
    assert.deepEqual(session.strangers, []);
    await session.close();

    const printed = join(folder, "printed");
    await mkdir(printed);
    const [attempt] = await listAttempts(folder);
    assert.ok(attempt);
    await writeFile(join(printed, "export"), await benchwright(folder, "attempts", "export", attempt.id));
    await writeFile(join(printed, "show"), await benchwright(folder, "attempts", "show", attempt.id, "--json"));
    await writeFile(join(printed, "problem"), await benchwright(folder, "problems", "show", `${PACK}/${ID}`, "--json"));
    await benchwright(folder, "attempts", "replay", attempt.id, "--to", join(printed, "replayed"));

    // The canaries are really there, so a search that finds none elsewhere means something.
    const store = join(homeOf(folder), "data");
    assert.notDeepEqual(await filesHolding(store, [CANARY]), []);
    assert.match(await readFile(join(messagesOf(folder), "from-server"), "utf8"), /benchwright\/attemptChanged/);

    const seen = ["editor", "messages", "printed", join("home", "workspaces"), join("home", "state")];
    for (const place of seen) assert.deepEqual(await filesHolding(join(folder, place), [CANARY]), [], place);
    const logs = (await filesBelow(store)).filter((file) => file.includes("sqlite"));
    assert.notDeepEqual(logs, []);
    for (const log of logs) assert.ok(!(await readFile(log)).includes(CANARY), log);
  },
);
