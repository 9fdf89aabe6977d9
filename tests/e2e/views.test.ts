import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Album } from "./album.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { starterFile } from "./starter.ts";

const PROBLEM = "saturating-counter";
const FILE = "rtl/sat_counter.sv";
const MACHINE = `module traffic (input clk, rst, car, output logic go);
  typedef enum logic [1:0] {RED, GREEN, AMBER, LOST} light_t;
  light_t light;
  always_ff @(posedge clk)
    if (rst) light <= RED;
    else case (light)
      RED: if (car) light <= GREEN;
      GREEN: if (!car) light <= AMBER;
      default: light <= RED;
    endcase
  assign go = light == GREEN;
endmodule
`;

/** The editor follows what the operating system asks for. */
const FOLLOWING = {
  "window.autoDetectColorScheme": true,
  "window.autoDetectHighContrast": true,
  "workbench.preferredDarkColorTheme": "Default Dark Modern",
  "workbench.preferredLightColorTheme": "Default Light Modern",
};

scenario("list, results, numbers, schematic and state machines are accessible in every theme and by keyboard", { skip: ONLY_NIGHTLY, settings: FOLLOWING }, async (session) => {
  const { editor } = session;
  await mkdir(join(session.workspaces, "own"), { recursive: true });
  await writeFile(join(session.workspaces, "own", "traffic.sv"), MACHINE);
  const album = await Album.start(session, "views");
  await editor.openBenchwrightView();
  await editor.problem("Saturating up/down counter").waitFor();
  await album.takeHard("list");

  await editor.openProblem("Saturating up/down counter");
  await editor.file(FILE).waitFor();
  await editor.webview("h1#saturating-updown-counter");
  await editor.startClock();
  await editor.pasteOver(FILE, starterFile(PROBLEM, "hidden", "wrong", "wraps", FILE));
  await editor.save();
  await editor.sees(editor.statusBar("verdict"), /\d+\/\d+ passed/);
  await editor.command("Benchwright: Show Results");
  await editor.webview(".tests .failed");
  await album.takeHard("results");
  await editor.pasteOver(FILE, starterFile(PROBLEM, "hidden", "reference", FILE));
  await editor.save();
  await editor.webview(".headline.passed");

  await editor.command("View: Close All Editors");
  await editor.command("Benchwright: Show My Numbers");
  const numbers = await editor.webview("h1#my-numbers");
  await editor.sees(numbers.locator("main"), /1 attempt, 1 passed, \d\d:\d\d of active time/);
  await editor.sees(numbers.locator("main"), /Writing \d\d:\d\d[\s\S]*Waiting \d\d:\d\d[\s\S]*Reading \d\d:\d\d/);
  await editor.sees(numbers.locator("table"), /starter\s+1\s+1\s+\d\d:\d\d/);
  await editor.sees(numbers.locator("table"), /Specification to RTL\s+1\s+1/);
  await album.takeHard("numbers");

  await editor.command("View: Close All Editors");
  await editor.openFile("traffic.sv");
  await editor.command("Benchwright: Show Schematic");
  const schematic = await editor.webview(".schematic .cell");
  await album.takeHard("schematic");
  await schematic.locator(".schematic").focus();
  await schematic.locator(".schematic").press("n");
  assert.equal(await schematic.locator(".selected").count(), 1);
  await editor.command("View: Close Other Editors in Group");

  await editor.openFile("traffic.sv");
  await editor.command("Benchwright: Show State Machines");
  const machines = await editor.webview(".schematic .state");
  await editor.sees(machines.locator("main"), /Never reached from the reset: LOST/);
  await album.takeHard("state-machines");
  album.close();
});
