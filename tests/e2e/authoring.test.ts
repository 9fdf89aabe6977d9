import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";

const WEAK = `import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


@cocotb.test()
async def resets(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst_n.value = 0
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    assert dut.q.value == 0
`;

const packs = (folder: string): string => join(folder, "packs");

scenario(
  "an author begins a problem, sees which wrong solution passes, corrects it, and sees what a solver sees",
  {
    skip: ONLY_NIGHTLY,
    opened: packs,
    before: async (folder) => {
      await mkdir(packs(folder));
    },
  },
  async ({ editor, folder }) => {
    await editor.openBenchwrightView();
    await editor.command("Benchwright: New Problem…");
    await editor.answerTo("Name of the pack's folder", "my-pack");
    await editor.answerTo("Name of the problem", "holds");
    await editor.sees(editor.choices(), /Free-Response Question/);
    await editor.picture("new-problem");
    await editor.choose("Design Problem with cocotb Tests");
    await editor.answerTo("License of the pack", "CC-BY-4.0");
    await editor.file("statement.md").waitFor();

    const tests = "test_holds.py";
    const strong = await readFile(join(packs(folder), "my-pack/holds/hidden/harness/src", tests), "utf8");
    await editor.openFile(tests);
    await editor.pasteOver(tests, WEAK);
    await editor.save();
    await editor.hears(editor.statusBar("proof"), /holds is not proved: the solution in hidden\/wrong\/ignores-enable passes/);
    await editor.openProblemsPanel();
    await editor.sees(editor.problemsPanel(), "The solution in hidden/wrong/ignores-enable passes: the tests don't find what is wrong with it.");
    await editor.picture("problem-not-proved");
    await editor.closePanel();
    await editor.pasteOver(tests, strong);
    await editor.save();
    await editor.hears(editor.statusBar("proof"), /holds is proved from both sides/);

    await editor.openFile("problem.toml");
    await editor.command("Benchwright: Preview Problem as Its Solvers See It");
    const preview = await editor.webview("h1#register-with-enable");
    await editor.sees(preview.locator("body"), /Files to write: rtl\/holds.sv/);
    assert.doesNotMatch(await preview.locator("body").innerText(), /ignores-enable/);
    await editor.picture("problem-preview");
  },
);
