import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { benchwright, listAttempts } from "./commandLine.ts";
import { scenario } from "./scenario.ts";
import { homeOf, messagesOf } from "./session.ts";
import { starterFile } from "./starter.ts";

const PROBLEM = "saturating-counter";
const FILE = "rtl/sat_counter.sv";
const PACK = "canaries";
const ID = "cvdp_canary_counter_0001";

/** No public text holds these; each marks one place of the hidden part. */
const CANARY = "quetzal-7f3a91";
const canary = (place: string): string => `${CANARY}-${place}`;

scenario(
  "nothing of the hidden part leaves the store, and nothing goes to another machine",
  {
    before: async (folder) => {
      const dataset = join(folder, "canaries.jsonl");
      await writeFile(dataset, `${JSON.stringify(datapoint())}\n`);
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
      await editor.sees((await editor.webview("dl")).locator("main"), new RegExp(`Try\\s+${number}\\s`));
    }
    await editor.sees(editor.statusBar("verdict"), /(\d+)\/\1$|passed/);
    await editor.command("Benchwright: Submit");
    await editor.confirm("Submit");
    await editor.sees(editor.statusBar("clock"), "Submitted");
    await editor.command("Benchwright: Doctor");
    await editor.webview("h1#benchwright-doctor");
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
    assert.notDeepEqual(await filesWithCanary(store), []);
    assert.match(await readFile(join(messagesOf(folder), "from-server"), "utf8"), /benchwright\/attemptChanged/);

    const seen = ["editor", "messages", "printed", join("home", "workspaces"), join("home", "state")];
    for (const place of seen) assert.deepEqual(await filesWithCanary(join(folder, place)), [], place);
    const logs = (await filesBelow(store)).filter((file) => file.includes("sqlite"));
    assert.notDeepEqual(logs, []);
    for (const log of logs) assert.ok(!(await readFile(log)).includes(CANARY), log);
  },
);

/** A problem in CVDP's form whose hidden files all hold canaries, also in what they print. */
function datapoint(): object {
  const hidden = (...path: string[]) => starterFile(PROBLEM, "hidden", "harness", ...path);
  const tests = hidden("src", "test_sat_counter.py");
  const prints = `print("${canary("printed")}")\nimport sys\nprint("${canary("error")}", file=sys.stderr)\n`;
  return {
    id: ID,
    categories: ["cid003", "easy"],
    input: {
      prompt: starterFile(PROBLEM, "statement.md"),
      context: { [FILE]: starterFile(PROBLEM, "public", FILE) },
    },
    output: {
      response: "",
      context: { [FILE]: `// ${canary("reference")}\n${starterFile(PROBLEM, "hidden", "reference", FILE)}` },
    },
    harness: {
      files: {
        "docker-compose.yml": `# ${canary("compose")}\n${hidden("docker-compose.yml")}`,
        "src/.env": `${hidden("src", ".env").trimEnd()}\nCANARY=${canary("environment")}\n`,
        "src/test_runner.py": `# ${canary("runner")}\n${hidden("src", "test_runner.py")}\n${prints}`,
        "src/test_sat_counter.py": `${tests}\n# ${canary("test")}\n${prints}`,
      },
    },
  };
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function filesWithCanary(folder: string): Promise<string[]> {
  const files = await filesBelow(folder);
  const contents = await Promise.all(files.map((file) => readFile(file)));
  return files.filter((_, index) => contents[index]!.includes(CANARY));
}
