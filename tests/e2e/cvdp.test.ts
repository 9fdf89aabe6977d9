import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { benchwright, listAttempts } from "./commandLine.ts";
import { ROOT } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";

const EXAMPLE = join(
  ROOT,
  "..",
  "shared",
  "data",
  "cvdp",
  "cvdp_v1.1.0_example_nonagentic_code_generation_no_commercial_with_solutions.jsonl",
);
interface Datapoint {
  readonly id: string;
  readonly output: { readonly context: Readonly<Record<string, string>> };
}

const skip = existsSync(EXAMPLE) ? undefined : `NVIDIA's examples are not there: ${EXAMPLE}`;

scenario(
  "an example of CVDP passes when its known solution is pasted and saved",
  {
    skip: skip ?? ONLY_NIGHTLY,
    before: async (folder) => {
      await benchwright(folder, "problems", "import", "cvdp", EXAMPLE, "--pack", "cvdp-examples");
    },
  },
  async (session) => {
    const { editor, folder } = session;
    const datapoint = JSON.parse(readFileSync(EXAMPLE, "utf8").split("\n")[0]!) as Datapoint;
    const solution = Object.entries(datapoint.output.context);
    assert.equal(solution.length, 1);
    const [file, text] = solution[0]!;

    await editor.commandAndChoose("Benchwright: Open Problem…", "lfsr 0001");
    await editor.file(file).waitFor();
    await editor.startClock();
    await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);
    await editor.pasteOver(file, text);
    await editor.save();
    await editor.sees(editor.statusBar("verdict"), /(\d+)\/\1$|passed/);
    await editor.picture("cvdp");

    const [attempt] = await listAttempts(folder);
    assert.deepEqual([attempt?.problem, attempt?.verdict], [`cvdp-examples/${datapoint.id}`, "passed"]);
  },
);
