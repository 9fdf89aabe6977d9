import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { faultsOfPages } from "./accessibility.ts";
import type { Editor } from "./editor.ts";
import { scenario } from "./scenario.ts";

const LEAF = `module leaf #(parameter W = 4) (input clk, rst, input [W-1:0] d, output logic [W-1:0] q);
  always_ff @(posedge clk)
    if (rst) q <= '0;
    else q <= d + 1'b1;
endmodule
`;
const TOP = `module top (input clk, rst, input [7:0] data, output [7:0] result);
  wire [7:0] middle;
  leaf #(8) u_first (.clk, .rst, .d(data), .q(middle));
  leaf #(8) u_second (.clk, .rst, .d(middle), .q(result));
endmodule
`;

const MACHINE = `module traffic (input clk, rst, car, output logic go);
  typedef enum logic [1:0] {RED, GREEN, AMBER} light_t;
  light_t light, next;
  always_ff @(posedge clk) if (rst) light <= RED; else light <= next;
  always_comb begin
    next = light;
    case (light)
      RED: if (car) next = GREEN;
      GREEN: if (!car) next = AMBER;
      default: next = RED;
    endcase
  end
  assign go = light == GREEN;
endmodule
`;

const design = (folder: string): string => join(folder, "design");

scenario(
  "schematics and state machines are drawn, and lead to the source",
  {
    opened: design,
    before: async (folder) => {
      await mkdir(design(folder));
      for (const [name, text] of Object.entries({ "leaf.sv": LEAF, "top.sv": TOP, "traffic.sv": MACHINE })) {
        await writeFile(join(design(folder), name), text);
      }
    },
  },
  async ({ editor }) => {
    await cellsAndSignalsLeadToSource(editor);
    await editor.command("View: Close All Editors");
    await statesAreDrawnAndReachedByKeyboard(editor);
  },
);

async function cellsAndSignalsLeadToSource(editor: Editor): Promise<void> {
  await editor.openFile("top.sv");
  await editor.command("Benchwright: Show Schematic");
  const page = await editor.webview(".schematic");
  await page.locator(".instance").first().waitFor();
  assert.equal(await page.locator(".instance").count(), 2);
  await editor.picture("schematic");
  await page.locator(".instance", { hasText: "u_second" }).last().click();
  await editor.sees(editor.page.locator("[id='status.editor.selection']"), /Ln 4/);
  await page.locator(".net", { hasText: "middle" }).first().dispatchEvent("click");
  await editor.sees(editor.page.locator("[id='status.editor.selection']"), /Ln 2/);
  await editor.command("Benchwright: What Drives This");
  await editor.sees(editor.page.locator(".pane", { hasText: "Drivers" }).first(), /\.q\(middle\)/);
  await editor.picture("drivers");
  await editor.openFile("leaf.sv");
  await editor.command("Benchwright: Show Schematic");
  await editor.sees(page.locator("h1"), /Schematic of leaf/);
  await editor.sees(page.locator(".schematic"), /multiplexer[\s\S]*adder|adder[\s\S]*multiplexer/);
  assert.deepEqual(await page.locator(".cell", { hasText: "register" }).locator("text").allTextContents(), ["q", "register", "clock", "D", "Q"]);
  const [drawn, frame] = [await page.locator(".schematic svg").boundingBox(), await page.locator(".schematic").boundingBox()];
  assert.ok(drawn!.width <= frame!.width && drawn!.height <= frame!.height && frame!.y + frame!.height <= 900);
  await editor.picture("schematic-of-cells");
  await page.getByText("As a table: 3 cells").click();
  const cells = page.locator("details[open] table").first();
  const types = (): Promise<string[]> => cells.locator("td:nth-child(2)").allTextContents();
  await cells.getByRole("button", { name: "Type" }).press("Enter");
  assert.deepEqual(await types(), ["adder", "multiplexer", "register"]);
  await cells.getByRole("button", { name: "Type" }).press("Enter");
  assert.deepEqual(await types(), ["register", "multiplexer", "adder"]);
  assert.equal(await cells.getByRole("columnheader", { name: "Type" }).getAttribute("aria-sort"), "descending");
  assert.deepEqual(await faultsOfPages(editor.page), []);
}

async function statesAreDrawnAndReachedByKeyboard(editor: Editor): Promise<void> {
  await editor.openFile("traffic.sv");
  await editor.command("Benchwright: Show State Machines");
  const page = await editor.webview(".schematic");
  await page.locator(".state").first().waitFor();
  assert.deepEqual(await page.locator(".state text").allTextContents(), ["RED", "GREEN", "AMBER"]);
  assert.match(await page.locator("main").innerText(), /rst resets to RED, synchronous/);
  await editor.picture("state-machines");
  await page.locator(".net", { hasText: "!car" }).nth(1).dispatchEvent("click");
  const place = editor.page.locator("[id='status.editor.selection']");
  await editor.sees(place, /Ln 9/);
  await page.locator(".schematic").focus();
  await page.locator(".schematic").press("n");
  await page.locator(".schematic").press("n");
  await editor.sees(page.locator("[role=status]"), /GREEN/);
  await page.locator(".schematic").press("p");
  await page.locator(".schematic").press("Enter");
  await editor.sees(place, /Ln 8/);
  assert.deepEqual(await faultsOfPages(editor.page), []);
}
