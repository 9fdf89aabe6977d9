import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { benchwright, type ListedProblem } from "./commandLine.ts";
import { ROOT } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { ScriptedJudge } from "./scriptedJudge.ts";

const DATA = join(ROOT, "..", "shared", "data");
const CSBENCH = join(DATA, "csbench", "CSBench-EN-valid-sample.json");
const CVDP = join(DATA, "cvdp", "cvdp_v1.1.0_example_nonagentic_code_comprehension_with_solutions.jsonl");
const skip = existsSync(CSBENCH) ? undefined : `The sample records are not there: ${CSBENCH}`;

const CHOICE = {
  question_id: 1,
  question: "A cache that writes to memory only when a line leaves it is called ____.",
  options: ["write-through", "write-back", "write-around", "inclusive"],
  difficulty: "EASY",
  topic: "Memory Systems",
  answer: "B",
};
const RESPONSE = [
  {
    question_id: "exam/Problem_1/a",
    context: "A core has one memory port.",
    context_figures: [],
    question: "Why may two loads not start together?",
    solution: "There is one port.",
    solution_figures: [],
    passed_llm_verification: true,
    reasoning: "",
    passed_human_verification: null,
  },
];

/** Title of a question, what to type or press, how it is handed in, what comes back. */
const QUESTIONS = [
  ["Overview 2184", ["ArrowDown"], "", "save", /is correct/],
  ["Linear List 2228", ["ArrowDown"], "", "save", /is correct/],
  ["Searching 2241", [], "O(log2n)", "save", /is correct/],
  ["Tree 2243", [], "Parents are smaller, because it is a heap.", "run", /give 10 of 10 points/],
  ["barrel shifter 0031", [], "It wraps, because the shift equals the width.", "run", /give 10 of 10 points/],
] as const;

let judge: ScriptedJudge | undefined;

scenario(
  "a question of each format of the published sets is answered by keyboard and judged",
  {
    skip: skip ?? ONLY_NIGHTLY,
    before: async (folder) => {
      judge = await ScriptedJudge.setUp(folder);
      const [choice, response] = [join(folder, "choice.jsonl"), join(folder, "response.json")];
      await writeFile(choice, `${JSON.stringify(CHOICE)}\n`);
      await writeFile(response, JSON.stringify(RESPONSE));
      await benchwright(folder, "problems", "import", "csbench", CSBENCH, "--pack", "cs");
      await benchwright(folder, "problems", "import", "cvdp", CVDP, "--pack", "comprehension");
      await benchwright(folder, "problems", "import", "quarch", choice, response, "--pack", "quarch");
    },
  },
  async ({ editor, folder }) => {
    const listed = JSON.parse(await benchwright(folder, "problems", "list", "quarch", "--json")) as ListedProblem[];
    const quarch = listed.map(({ title }, index) =>
      index === 0
        ? ([title, ["ArrowDown"], "", "save", /is correct/] as const)
        : ([title, [], "One port, because it says so.", "run", /call the answer correct/] as const),
    );
    try {
      for (const [title, keys, text, hand, result] of [...QUESTIONS, ...quarch]) {
        await editor.command("View: Close All Editors");
        await editor.commandAndChoose("Benchwright: Open Problem…", title);
        const form = await editor.webview(`main:has(h1:text-is("${title}")) form`);
        await editor.startClock();
        await editor.focusForm(form);
        for (const key of keys) await editor.page.keyboard.press(key);
        if (text) await editor.page.keyboard.type(text);
        if (hand === "save") await editor.save();
        else await editor.command("Benchwright: Run Hidden Tests");
        await editor.sees(form.locator("p.headline"), result);
      }
    } finally {
      await judge?.[Symbol.asyncDispose]();
    }
  },
);
