import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Editor } from "./editor.ts";
import { ROOT } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import type { Session } from "./session.ts";

const COUNTER = `// Counts while it is enabled.
module counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    input logic rst_n,
    input logic enable,
    output logic [WIDTH-1:0] count
);
  always_ff @(posedge clk or negedge rst_n) begin : counting
    if (!rst_n) count <= '0;
    else if (enable) count <= count + 1'b1;
  end
endmodule
`;
const TOP = `// A clock of one hand.
module top (
    input logic clk,
    input logic rst_n,
    output logic [7:0] count
);

  always_comb    enable =  rst_n;
endmodule
`;

const design = (folder: string): string => join(folder, "design");

scenario(
  "a design of two files is written with the help of the language server",
  {
    opened: design,
    before: async (folder) => {
      await mkdir(design(folder));
      await writeFile(join(design(folder), "counter.sv"), COUNTER);
      await writeFile(join(design(folder), "top.sv"), TOP);
    },
  },
  async (session) => {
    const { editor } = session;
    const top = new SavedFile(session, "top.sv");
    const counter = new SavedFile(session, "counter.sv");

    await editor.openFile("top.sv");
    await editor.squiggles().first().waitFor();
    await top.cursorAt("enable =");
    await editor.fix("Declare 'logic enable'");
    await top.holds(/logic enable;/);

    await top.cursorAt("\nendmodule");
    await editor.page.keyboard.type("\ncou");
    if (process.env.UPDATE_SCREENSHOT) await keepAsDocumentation(editor);
    await editor.complete(/counter ….*instance with 4 ports/);
    // The first place to fill in is chosen.
    await editor.page.keyboard.type("8");
    await editor.page.keyboard.press("Escape");
    await editor.page.keyboard.press("Escape");
    await top.holds(/counter #\(\s+\.WIDTH\(8\)\s+\) u_counter \(\s+\.clk\(clk\),\s+\.rst_n\(rst_n\),\s+\.enable\(enable\)/);

    await editor.command("Format Document");
    await top.holds(/\n {2}always_comb enable = rst_n;/);

    await top.cursorAt("counter #");
    await editor.hears(editor.problemCount(), /No Problems/);
    await editor.sees(await editor.hover(), /module counter[\s\S]*Counts while it is enabled/);
    await editor.page.keyboard.press("Escape");
    await editor.page.keyboard.press("F12");
    await editor.hasFocus("counter.sv");

    await counter.cursorAt("enable,");
    await editor.rename("running");
    await editor.command("File: Save All");
    await counter.holds(/input logic running,[\s\S]*else if \(running\)/);
    await top.holds(/\.running\s*\(enable\)/);

    await editor.sees(await editor.outline(), /counter[\s\S]*WIDTH[\s\S]*clk[\s\S]*count[\s\S]*counting/);
    await editor.page.keyboard.press("Escape");

    await editor.sees(await editor.placesOf("1 instance"), /counter #/);
    assert.deepEqual(session.strangers, []);
  },
);

const ALU = `module alu #(
    parameter int WIDTH = 4
) (
    input logic [WIDTH-1:0] a
);
  if (WIDTH > 8) begin : wide
    logic carry;
  end
endmodule
`;
const CORE = `module core;
  for (genvar i = 0; i < 3; i++) begin : lane
    alu #(.WIDTH(8 + i)) u_alu ();
  end
endmodule
`;
const CHIP = `module chip;
  core u_core ();
endmodule
module bench;
  core dut ();
endmodule
`;

scenario(
  "a module is viewed as one of its instances, and the hierarchy shows and restricts them",
  {
    skip: ONLY_NIGHTLY,
    opened: design,
    before: async (folder) => {
      await mkdir(design(folder));
      for (const [name, text] of Object.entries({ "alu.sv": ALU, "core.sv": CORE, "chip.sv": CHIP })) {
        await writeFile(join(design(folder), name), text);
      }
    },
  },
  async (session) => {
    const { editor } = session;
    const alu = new SavedFile(session, "alu.sv");
    await editor.openFile("alu.sv");
    await editor.codeLens().filter({ hasText: "with default parameters · 6 in the design" }).click();
    await editor.choose("chip.u_core.lane[2].u_alu");
    await editor.sees(editor.codeLens(), "as chip.u_core.lane[2].u_alu · 6 in the design");
    await alu.cursorAt("a\n);");
    await editor.sees(await editor.hover(), /10 bits/);
    await editor.page.keyboard.press("Escape");

    await editor.showInstances();
    await editor.instance("chip").waitFor();
    await editor.unfold("chip");
    await editor.unfold("u_core");
    await editor.hears(editor.instance("lane[2].u_alu"), /instance of the module alu, WIDTH = 10, its module is viewed/);
    if (process.env.UPDATE_SCREENSHOT) {
      await writeFile(join(ROOT, "docs", "images", "instances.png"), await editor.picture("instances"));
    }
    await editor.instance("lane[1].u_alu").click();
    await editor.hasFocus("core.sv");
    await editor.inMenuOf(editor.instance("lane[1].u_alu"), "View Modules as Here");
    await editor.hears(editor.instance("lane[1].u_alu"), /its module is viewed/);
    await editor.inMenuOf(editor.instance("chip"), "Set as Top");
    await editor.instance("bench").waitFor({ state: "hidden" });
    await editor.command("Benchwright: Use All Tops");
    await editor.instance("bench").waitFor();
    assert.deepEqual(session.strangers, []);
  },
);

const MODEL = "module memory; endmodule\n";
const LISTED = {
  "soc.sv": "module soc;\n  memory u_memory ();\nendmodule\n",
  "fpga_memory.sv": MODEL,
  "sim_memory.sv": MODEL,
  "fpga.f": "soc.sv\nfpga_memory.sv\n",
  "sim.f": "soc.sv\nsim_memory.sv\n",
};

scenario(
  "one of several file lists is asked for, and another one chosen later",
  {
    skip: ONLY_NIGHTLY,
    opened: design,
    before: async (folder) => {
      await mkdir(design(folder));
      for (const [name, text] of Object.entries(LISTED)) await writeFile(join(design(folder), name), text);
    },
  },
  async (session) => {
    const { editor } = session;
    const soc = new SavedFile(session, "soc.sv");
    await editor.openFile("soc.sv");
    const question = editor.notification("several file lists");
    await question.waitFor();
    await editor.picture("several-lists");
    await question.getByRole("button", { name: "sim.f" }).click();
    await editor.hears(editor.problemCount(), /No Problems/);
    await soc.cursorAt("memory u");
    await editor.page.keyboard.press("F12");
    await editor.hasFocus("sim_memory.sv");

    await editor.command("Benchwright: Choose the Project's File List…");
    await editor.sees(editor.choices(), "in use");
    await editor.picture("file-lists");
    await editor.choose("fpga.f");
    await editor.page.getByRole("tab", { name: "soc.sv" }).click();
    await soc.cursorAt("memory u");
    await editor.page.keyboard.press("F12");
    await editor.hasFocus("fpga_memory.sv");
    assert.deepEqual(session.strangers, []);
  },
);

const MACROS = {
  "counted.sv": `\`define REG(NAME, WIDTH) logic [WIDTH-1:0] NAME; \\
  always_ff @(posedge clk) NAME <= NAME + 1'b1;
\`define PAIR(NAME) \`REG(NAME\`\`_a, 8) \`REG(NAME\`\`_b, 4)
module counted (input logic clk);
  \`PAIR(ticks)
endmodule
`,
};

scenario(
  "what a macro, and a whole file, expands to is shown as a document",
  {
    skip: ONLY_NIGHTLY,
    opened: design,
    before: async (folder) => {
      await mkdir(design(folder));
      for (const [name, text] of Object.entries(MACROS)) await writeFile(join(design(folder), name), text);
    },
  },
  async (session) => {
    const { editor } = session;
    const counted = new SavedFile(session, "counted.sv");
    await editor.openFile("counted.sv");
    await counted.cursorAt("PAIR(ticks)");
    await editor.fix("Show the macro's expansion");
    const expanded = editor.page.locator(".monaco-editor[data-uri^='benchwright-macro']");
    await editor.sees(expanded, /ticks_a[\s\S]*ticks_b/);
    await editor.picture("macro-expanded");
    await editor.page.getByRole("tab", { name: "counted.sv", exact: true }).click();
    await editor.command("Benchwright: Show File with Macros Expanded");
    await editor.sees(expanded.last(), /module counted/);
    await editor.picture("file-expanded");
    assert.deepEqual(session.strangers, []);
  },
);

/** A file that is open, as it is on disk: what the editor draws has hints between the text. */
class SavedFile {
  private readonly editor: Editor;
  private readonly name: string;
  private readonly path: string;

  constructor(session: Session, name: string) {
    this.editor = session.editor;
    this.name = name;
    this.path = join(design(session.folder), name);
  }

  /** Saves the file until a text stands in it. */
  async holds(wanted: RegExp): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await this.editor.save();
      const text = await readFile(this.path, "utf8");
      if (wanted.test(text)) return;
      assert.ok(tries < 360, `Expected ${wanted} in ${this.name}, which is:\n${text}`);
      await sleep(250);
    }
  }

  /** Puts the cursor before the only place of a text. */
  async cursorAt(text: string): Promise<void> {
    const parts = (await readFile(this.path, "utf8")).split(text);
    assert.equal(parts.length, 2, `${text} has to be in ${this.name} once`);
    const lines = (parts[0] ?? "").split("\n");
    await this.editor.goTo(this.name, lines.length, (lines.at(-1) ?? "").length + 1);
  }
}

async function keepAsDocumentation(editor: Editor): Promise<void> {
  await editor.showCompletionDetails();
  // Colours come last, and nothing tells when they are there.
  await sleep(2000);
  await writeFile(join(ROOT, "docs", "images", "language.png"), await editor.picture("language"));
}
