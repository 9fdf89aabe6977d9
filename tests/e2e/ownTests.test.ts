import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";

const WRONG = `module counter (
    input logic clk,
    input logic rst_n,
    output logic [3:0] q
);
  always_ff @(posedge clk) if (!rst_n) q <= 0; else q <= q + 2;
endmodule
`;
const TESTS = `import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


@cocotb.test()
async def counts(dut):
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    dut.rst_n.value = 0
    for _ in range(2):
        await RisingEdge(dut.clk)
    dut.rst_n.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    assert int(dut.q.value) == 3
`;

const BENCH = `module tb;
  logic clk = 0, rst_n = 0;
  logic [3:0] q;

  counter dut (.*);

  always #5 clk = ~clk;

  initial begin
    #12 rst_n = 1;
    #40;
    if (q !== 4) $display("FAIL: q is %0d", q);
    $finish;
  end
endmodule
`;

/** What runs is what is on the disk. */
async function untilWritten(file: string, text: string): Promise<void> {
  for (let tries = 0; !(await readFile(file, "utf8")).includes(text); tries += 1) {
    assert.ok(tries < 300, `${file} was not saved.`);
    await setTimeout(100);
  }
}

const design = (folder: string): string => join(folder, "design");

scenario(
  "a test of the person's own fails in the Test Explorer, and passes once the design is mended",
  {
    skip: ONLY_NIGHTLY,
    opened: design,
    before: async (folder) => {
      for (const inner of ["rtl", "tests"]) await mkdir(join(design(folder), inner), { recursive: true });
      await writeFile(join(design(folder), "rtl", "counter.sv"), WRONG);
      await writeFile(join(design(folder), "tests", "test_counter.py"), TESTS);
    },
  },
  async (session) => {
    const { editor } = session;
    await editor.openFile("counter.sv");
    await editor.command("Testing: Focus on Test Explorer View");
    const rows = (text: string) => editor.page.getByRole("treeitem", { name: text });
    await rows("test_counter.py").first().waitFor();
    await editor.command("Test: Run All Tests");
    await editor.page.locator(".codicon-testing-failed-icon").first().waitFor({ timeout: 90_000 });
    await editor.picture("own-test-fails");
    await editor.pasteOver("counter.sv", WRONG.replace("q + 2", "q + 1"));
    await editor.save();
    await untilWritten(join(design(session.folder), "rtl", "counter.sv"), "q + 1");
    await editor.command("Test: Run All Tests");
    await editor.page.locator(".codicon-testing-passed-icon").first().waitFor({ timeout: 90_000 });
    await editor.picture("own-test-passes");
  },
);

scenario(
  "a testbench that prints its failure is marked where it does, in the editor and in the list of problems",
  {
    skip: ONLY_NIGHTLY,
    opened: design,
    before: async (folder) => {
      for (const inner of ["rtl", "tb"]) await mkdir(join(design(folder), inner), { recursive: true });
      await writeFile(join(design(folder), "rtl", "counter.sv"), WRONG);
      await writeFile(join(design(folder), "tb", "tb.sv"), BENCH);
    },
  },
  async ({ editor }) => {
    await editor.openFile("tb.sv");
    await editor.sees(editor.codeLens(), /Run test/);
    await editor.codeLens().filter({ hasText: "Run test" }).first().click();
    await editor.page.locator(".testing-run-glyph.codicon-testing-failed-icon, .codicon-testing-error-icon").first().waitFor({ timeout: 90_000 });
    await editor.openProblemsPanel();
    await editor.sees(editor.problemsPanel(), /tb: It printed: FAIL: q is 8[^]*own tests[^]*Ln 12/);
    await editor.page.locator(".monaco-editor .squiggly-error").first().waitFor();
    // Beside the test itself, and beside the line that failed.
    await editor.page.locator(".glyph-margin-widgets .cgmr").nth(1).waitFor();
    await editor.picture("own-testbench-fails-at-its-line");
  },
);

scenario(
  "a test stops at a breakpoint, shows its variables, and goes on",
  {
    skip: ONLY_NIGHTLY,
    opened: design,
    before: async (folder) => {
      for (const inner of ["rtl", "tests"]) await mkdir(join(design(folder), inner), { recursive: true });
      await writeFile(join(design(folder), "rtl", "counter.sv"), WRONG.replace("q + 2", "q + 1"));
      await writeFile(join(design(folder), "tests", "test_counter.py"), TESTS);
    },
  },
  async (session) => {
    const { editor } = session;
    await editor.openFile("test_counter.py");
    await editor.page.keyboard.press("Control+End");
    await editor.page.keyboard.press("ArrowUp");
    await editor.command("Debug: Toggle Breakpoint");
    await editor.command("Testing: Focus on Test Explorer View");
    await editor.page.getByRole("treeitem", { name: "test_counter.py" }).first().waitFor();
    await editor.command("Test: Debug All Tests");
    await editor.page.locator(".debug-top-stack-frame-line").first().waitFor({ timeout: 90_000 });
    await editor.command("Run and Debug: Focus on Variables View");
    await editor.page.getByRole("treeitem", { name: /Locals/ }).click();
    await editor.page.getByRole("treeitem", { name: /^dut/ }).first().waitFor();
    await editor.picture("own-test-debugged");
    await editor.command("Debug: Continue");
    await editor.command("Testing: Focus on Test Explorer View");
    await editor.page.locator(".codicon-testing-passed-icon").first().waitFor({ timeout: 90_000 });
  },
);
