import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { benchwright, listAttempts } from "./commandLine.ts";
import { ROOT } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";

const IBEX = join(ROOT, "..", "shared", "data", "projects", "ibex.json");
const FILE = "rtl/ibex_fetch_fifo.sv";
const RIGHT = "assign rdata_d[i]  = valid_q[i+1] ? rdata_q[i+1] : in_rdata_i;";
const WRONG = "assign rdata_d[i]  = in_rdata_i;";
const TITLE = "Instructions are lost";
/** Two words go in, and have to come out in their order. */
const BENCH = `module bench;
  logic clk = 0, rst_n = 0, clear = 0, in_valid = 0, ready = 0, valid, err, err2;
  logic [31:0] in_rdata = 0, addr, rdata;
  logic [1:0] busy;
  ibex_fetch_fifo dut(.clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .busy_o(busy), .in_valid_i(in_valid),
    .in_addr_i(32'd0), .in_rdata_i(in_rdata), .in_err_i(1'b0), .cheriot_force_uc_i(1'b0), .out_valid_o(valid),
    .out_ready_i(ready), .out_addr_o(addr), .out_rdata_o(rdata), .out_err_o(err), .out_err_plus2_o(err2));
  always #5 clk = ~clk;
  initial begin
    repeat (2) @(negedge clk); rst_n = 1; clear = 1; @(negedge clk); clear = 0;
    in_valid = 1; in_rdata = 32'h00000013; @(negedge clk); in_rdata = 32'h00100093; @(negedge clk);
    in_rdata = 32'hdeadbeef; in_valid = 0; ready = 1; @(negedge clk);
    $display("TEST: keeps_order ... %s", valid && rdata == 32'h00100093 ? "PASS" : "FAIL");
    $finish;
  end
endmodule
`;
const RUN = `cd /code/rundir
verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style -DSYNTHESIS -I/code/vendor/lowrisc_ip/ip/prim/rtl \\
  --top-module bench -Mdir obj -o bench /code/${FILE} /code/hidden_bench.sv > build.log 2>&1 && obj/bench > bench.log
echo HWE_BENCH_RESULTS_START
grep '^TEST: ' bench.log
echo HWE_BENCH_RESULTS_END
`;

/** Plants a bug into the core, and installs the problem that its fix makes. */
async function plantBug(folder: string): Promise<void> {
  const repository = join(folder, "ibex");
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  };
  const commit = (message: string): void => {
    execFileSync("git", ["-C", repository, "add", "-A"]);
    execFileSync("git", ["-C", repository, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", message]);
  };
  const files = JSON.parse(readFileSync(IBEX, "utf8")) as Readonly<Record<string, string>>;
  const right = files[FILE] ?? "";
  assert.ok(right.includes(RIGHT));
  for (const [path, text] of Object.entries(files)) write(path, text.replace(RIGHT, WRONG));
  execFileSync("git", ["init", "-q", repository]);
  commit("A change");
  write(FILE, right);
  write("hidden_bench.sv", BENCH);
  write("hidden_run.sh", RUN);
  commit("A fix");
  const statement = join(folder, "statement.md");
  writeFileSync(statement, `# ${TITLE}\n\nThe core skips instructions when the fetch FIFO holds more than one word.\n`);
  const made = ["--run", "bash hidden_run.sh", "--tests", "hidden_bench.sv", "--tests", "hidden_run.sh", "--editable", "rtl"];
  const pack = join(folder, "my-ibex");
  await benchwright(folder, "problems", "from-commit", repository, "HEAD", pack, "lost", "--statement", statement, ...made);
  const published = join(folder, "my-ibex.zip");
  await benchwright(folder, "problems", "publish", pack, published);
  await benchwright(folder, "problems", "install", published);
}

scenario(
  "a person finds and mends a bug in a published core of several hundred files",
  { skip: existsSync(IBEX) ? ONLY_NIGHTLY : `the core is not there: ${IBEX}`, before: plantBug },
  async (session) => {
    const { editor, folder } = session;
    await editor.commandAndChoose("Benchwright: Open Problem…", TITLE);
    await editor.file("PROBLEM.md").or(editor.page.getByRole("tab", { name: /PROBLEM/ })).first().waitFor();
    await editor.startClock();
    await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);
    await editor.openFile("ibex_fetch_fifo.sv");
    await editor.picture("repository");
    const files = JSON.parse(readFileSync(IBEX, "utf8")) as Readonly<Record<string, string>>;
    await editor.pasteOver(FILE, files[FILE]!);
    await editor.save();
    await editor.sees(editor.statusBar("verdict"), /(\d+)\/\1$|passed/, 180);
    await editor.picture("repository-passed");
    const [attempt] = await listAttempts(folder);
    assert.equal(attempt?.verdict, "passed");
    const shown = await editor.page.content();
    assert.ok(!shown.includes("keeps_order"), "the name of a hidden test is on the page");
  },
);
