import assert from "node:assert/strict";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { faultsOfPages } from "./accessibility.ts";
import { PATIENCE_MS, type Editor } from "./editor.ts";
import { ROOT } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";

const WRONG = `module counter (
    input logic clk,
    input logic rst_n,
    output logic [3:0] q
);
  logic [3:0] following;
  assign following = q + 2;
  always_ff @(posedge clk) q <= rst_n ? following : '0;
endmodule
`;
const TESTBENCH = `module tb;
  logic clk = 0, rst_n = 0;
  logic [3:0] q;
  counter dut (.*);
  always #5 clk = ~clk;
  initial begin
    #12 rst_n = 1;
    #40;
    if (q != 4) $error("q is %0d", q);
    $finish;
  end
endmodule
`;

const design = (folder: string): string => join(folder, "design");
const before = async (folder: string): Promise<void> => {
  for (const inner of ["rtl", "tb"]) await mkdir(join(design(folder), inner), { recursive: true });
  await writeFile(join(design(folder), "rtl", "counter.sv"), WRONG);
  await writeFile(join(design(folder), "tb", "tb.sv"), TESTBENCH);
};
const OPEN_ELSEWHERE = "Benchwright: Open Waveform in Another Viewer";
const withOtherViewer = async (folder: string): Promise<void> => {
  await before(folder);
  await cp(join(ROOT, "tests", "e2e", "otherViewer"), join(folder, "editor", "extensions", "tests.viewer-1.0.0"), { recursive: true });
};
const KEPT = { "benchwright.ownTests.waves": true };

scenario(
  "a test of the person's own fails; its waveform leads to the source, the source is mended, and the test passes",
  { opened: design, before: withOtherViewer, settings: KEPT },
  async ({ editor }) => {
    const { page } = editor;
    await editor.openFile("counter.sv");
    await editor.command("Testing: Focus on Test Explorer View");
    await page.getByRole("treeitem", { name: "tb.sv" }).first().waitFor();
    await editor.command("Test: Run All Tests");
    await page.locator(".codicon-testing-failed-icon").first().waitFor({ timeout: 90_000 });
    await editor.command("Benchwright: Show Waveform");
    const wave = await editor.webview(".wave-row.signal");
    const row = (name: string) => wave.getByRole("option", { name });
    // What the testbench itself has is shown first; the rest is found.
    await row("tb.rst_n").waitFor();
    // It is open where the testbench complained.
    await editor.sees(row("tb.q").locator(".wave-value"), /^8$/);
    await wave.getByLabel("Find signals").fill("dut following");
    await wave.getByRole("button", { name: "Add tb.dut.following [4]" }).click();
    await row("tb.dut.following").waitFor();
    await wave.getByRole("listbox").focus();
    await page.keyboard.press("End");
    await editor.sees(row("tb.dut.following").locator(".wave-value"), /^a$/);
    await page.keyboard.press("b");
    await page.keyboard.press("p");
    await editor.sees(wave.locator(".wave-status"), /tb\.dut\.following changes to a at 45 ns/);
    await page.keyboard.press("r");
    await editor.sees(row("tb.dut.following").locator(".wave-value"), /^10$/);
    await editor.sees(wave.locator(".wave-readout"), /Cursor: 45 ns · Second: 52 ns · Difference: 7 ns/);
    await editor.picture("waveform");
    assert.deepEqual(await faultsOfPages(page), []);
    await page.keyboard.press("Enter");
    await editor.sees(page.locator("[id='status.editor.selection']"), /Ln 6/);
    // The values at the cursor are in the source.
    await page.locator(".monaco-editor .view-line", { hasText: /following\s*=\s*4'ha/ }).first().waitFor();
    await editor.picture("waveform-in-source");
    await editor.pasteOver("counter.sv", WRONG.replace("q + 2", "q + 1"));
    await editor.save();
    await editor.command("Test: Run All Tests");
    await page.locator(".codicon-testing-passed-icon").first().waitFor({ timeout: 90_000 });
    // The file was written again, and is shown with the layout that the person made.
    await editor.sees(row("tb.dut.following").locator(".wave-value"), /^5$/);
    await isDrawn(row("tb.dut.following").locator("canvas"));
    await editor.picture("waveform-of-the-mended-design");
    await theWheelZoomsAtThePointerAndScrolls(editor, wave);
    await markersCurvesAndValues(editor, wave);
    await editor.command("View: Close All Editors");
    await editor.command("Benchwright: Show Waveform");
    const again = await editor.webview(".wave-row.signal.analogue");
    await again.getByText("Markers").click();
    await editor.sees(again.locator(".wave-foot table"), /15 ns\s+-10 ns\s+–\s+25 ns\s+0\s+10 ns/);
    assert.equal(await again.getByLabel("Name of the marker at 25 ns").inputValue(), "third");
    await editor.command(OPEN_ELSEWHERE);
    await editor.sees((await editor.webview("#viewed")).locator("#viewed"), /tb-tb\.fst in another viewer/);
  },
);

/** Waits until a time is there, but for what a pixel is. */
async function isNear(time: () => Promise<number>, expected: number): Promise<void> {
  let seen = await time();
  for (const deadline = Date.now() + PATIENCE_MS; Math.abs(seen - expected) > 0.1; seen = await time()) {
    assert.ok(Date.now() < deadline, `Expected ${expected} ns, but saw ${seen} ns.`);
  }
}

/** Waits until a trace has something at four fifths of its columns: the cursors alone are at two. */
async function isDrawn(canvas: Locator): Promise<void> {
  const share = (): Promise<number> =>
    canvas.evaluate((drawn: HTMLCanvasElement) => {
      const { data, width, height } = drawn.getContext("2d")!.getImageData(0, 0, drawn.width, drawn.height);
      const columns = Array.from({ length: width }, (_, x) => Array.from({ length: height }, (_, y) => data[4 * (y * width + x) + 3]!).some(Boolean));
      return columns.filter(Boolean).length / width;
    });
  for (const deadline = Date.now() + PATIENCE_MS; (await share()) < 0.8; ) assert.ok(Date.now() < deadline, "The trace is not drawn.");
}

type Page = Awaited<ReturnType<Editor["webview"]>>;

async function theWheelZoomsAtThePointerAndScrolls(editor: Editor, wave: Page): Promise<void> {
  const { mouse, keyboard } = editor.page;
  const { x, y, width } = (await wave.getByRole("option", { name: "tb.q" }).locator("canvas").boundingBox())!;
  /** The time at a share of the width, in ns. */
  const timeAt = async (share: number): Promise<number> => {
    await mouse.click(x + share * width, y + 5);
    const [, time] = /Cursor: ([\d.]+) ns/.exec(await wave.locator(".wave-readout").innerText())!;
    return Number(time);
  };
  const [middle, right] = [await timeAt(0.4), await timeAt(0.9)];
  await mouse.move(x + 0.4 * width, y + 5);
  await keyboard.down("Control");
  await mouse.wheel(0, -240);
  await keyboard.up("Control");
  const length = (right - middle) / 2;
  await isNear(() => timeAt(0.9), middle + length);
  await isNear(() => timeAt(0.4), middle);
  await mouse.wheel(0, width / 10);
  await isNear(() => timeAt(0.4), middle + length / 5);
}

/** By keyboard. */
async function markersCurvesAndValues(editor: Editor, wave: Page): Promise<void> {
  const { page } = editor;
  const status = wave.locator(".wave-status");
  await page.setViewportSize({ width: 1600, height: 1200 });
  await wave.getByRole("button", { name: "Hierarchy of signals" }).click();
  await wave.getByRole("option", { name: "tb.q" }).click();
  await page.keyboard.press("a");
  await editor.sees(status, /tb\.q is drawn as a curve/);
  await wave.getByRole("listbox").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("/");
  await page.keyboard.type("1");
  await page.keyboard.press("Enter");
  await editor.sees(status, /tb\.q changes to 1 at 15 ns/);
  await page.keyboard.press("Shift+Enter");
  await editor.sees(status, /tb\.q does not become 1 before the cursor/);
  await wave.getByLabel("Value to find").fill("nonsense");
  await page.keyboard.press("Enter");
  await editor.sees(status, /nonsense is not a value of tb\.q as hexadecimal/);
  await wave.getByLabel("Value to find").fill("");
  await wave.getByRole("listbox").focus();
  await page.keyboard.press("m");
  await page.keyboard.press("n");
  await editor.sees(status, /changes to 2 at 25 ns/);
  await page.keyboard.press("m");
  await editor.sees(status, /Marker 2 is at 25 ns/);
  await page.keyboard.press("1");
  await editor.sees(status, /Marker 1 is at 15 ns/);
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowRight");
  await wave.getByText("Markers").click();
  await wave.getByLabel("Name of the marker at 25 ns").fill("third");
  await page.keyboard.press("Enter");
  await wave.getByText("25 ns").last().click();
  await editor.sees(wave.locator(".wave-readout"), /Cursor: 25 ns/);
  await editor.sees(wave.locator(".wave-foot table"), /15 ns\s+-10 ns\s+–\s+25 ns\s+0\s+10 ns/);
  await editor.picture("waveform-markers");
  assert.deepEqual(await faultsOfPages(page), []);
}

// In light, the scenario above looks for faults.
for (const [name, theme] of [
  ["dark", "Default Dark Modern"],
  ["high contrast", "Default High Contrast"],
] as const) {
  scenario(
    `a waveform has no accessibility fault in ${name}`,
    { opened: design, before, skip: ONLY_NIGHTLY, settings: { ...KEPT, "workbench.colorTheme": theme } },
    async ({ editor }) => {
      await editor.openFile("tb.sv");
      await editor.command("Testing: Focus on Test Explorer View");
      await editor.page.getByRole("treeitem", { name: "tb.sv" }).first().waitFor();
      await editor.command("Test: Run All Tests");
      await editor.page.locator(".codicon-testing-failed-icon").first().waitFor({ timeout: 90_000 });
      await editor.command("Benchwright: Show Waveform");
      const wave = await editor.webview(".wave-row.signal");
      await editor.offers(OPEN_ELSEWHERE, false);
      await wave.getByRole("option", { name: "tb.q" }).click();
      await wave.getByRole("listbox").focus();
      for (const key of ["a", "n", "m"]) await editor.page.keyboard.press(key);
      await wave.getByText("Markers").click();
      await editor.sees(wave.locator(".wave-foot table"), /Marker/);
      await editor.picture(`waveform-${name.replace(" ", "-")}`);
      assert.deepEqual(await faultsOfPages(editor.page), []);
    },
  );
}
