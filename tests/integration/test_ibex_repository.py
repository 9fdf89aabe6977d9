"""Bugs planted into ibex, a published core: each becomes a problem of its whole repository, proved from both sides."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, get_model
from inspect_ai.tool import ToolChoice, ToolInfo
from typer.testing import CliRunner

from benchwright_attempts.summary.replay import replay
from benchwright_foundation.home import Home
from benchwright_problems.repository.changes import CHANGES, diff_of_files
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands
from benchwright_subjects.evaluation.evaluation import summary_of_run

from ..support.models.agent_model import Call, offered_by, output_of, shell_call
from ..support.models.eval import Desk, desk, run, scripted_model
from ..support.models.subjects import installed_preset

__all__ = ("desk",)

IBEX = Path(__file__).parents[3] / "shared/data/projects/ibex.json"
PRIMITIVES = "vendor/lowrisc_ip/ip/prim/rtl"


@dataclass(frozen=True)
class PlantedBug:
    """A line of ibex, what it was made of it, and tests that pass with the one and not the other."""

    path: str
    right: str
    wrong: str
    bench: str
    fail_to_pass: str
    pass_to_pass: str


HAZARD = PlantedBug(
    path="rtl/ibex_fetch_fifo.sv",
    right="assign rdata_d[i]  = valid_q[i+1] ? rdata_q[i+1] : in_rdata_i;",
    wrong="assign rdata_d[i]  = in_rdata_i;",
    bench="""
  logic clk = 0, rst_n = 0, clear = 0, in_valid = 0, ready = 0, valid, err, err2;
  logic [31:0] in_rdata = 0, addr, rdata;
  logic [1:0] busy;
  ibex_fetch_fifo dut(.clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .busy_o(busy), .in_valid_i(in_valid),
    .in_addr_i(32'd0), .in_rdata_i(in_rdata), .in_err_i(1'b0), .cheriot_force_uc_i(1'b0), .out_valid_o(valid),
    .out_ready_i(ready), .out_addr_o(addr), .out_rdata_o(rdata), .out_err_o(err), .out_err_plus2_o(err2));
  always #5 clk = ~clk;
  initial begin
    repeat (2) @(negedge clk); rst_n = 1; clear = 1; @(negedge clk); clear = 0;
    in_valid = 1; in_rdata = 32'h00000013; #1 check("passes_through", valid && rdata == 32'h13);
    @(negedge clk); in_rdata = 32'h00100093; @(negedge clk); in_rdata = 32'hdeadbeef; in_valid = 0; ready = 1;
    @(negedge clk); check("keeps_order", valid && rdata == 32'h00100093);
    $finish;
  end
""",
    fail_to_pass="keeps_order",
    pass_to_pass="passes_through",
)
CSR = PlantedBug(
    path="rtl/ibex_counter.sv",
    right="      counter_load[31:0]  = counter[31:0];\n",
    wrong="",
    bench="""
  logic clk = 0, rst_n = 0, inc = 0, weh = 0;
  logic [63:0] q, upd;
  ibex_counter #(.CounterWidth(64)) dut(.clk_i(clk), .rst_ni(rst_n), .counter_inc_i(inc), .counterh_we_i(weh),
    .counter_we_i(1'b0), .counter_val_i(32'habcd), .counter_val_o(q), .counter_val_upd_o(upd));
  always #5 clk = ~clk;
  initial begin
    repeat (2) @(negedge clk); rst_n = 1; inc = 1; @(negedge clk); inc = 0; check("counts", q == 1);
    weh = 1; @(negedge clk); check("writes_the_high_half_alone", q == 64'h0000abcd00000001);
    $finish;
  end
""",
    fail_to_pass="writes_the_high_half_alone",
    pass_to_pass="counts",
)
ARBITRATION = PlantedBug(
    path=f"{PRIMITIVES}/prim_arbiter_fixed.sv",
    right="sel = ~req_tree[C0];",
    wrong="sel = req_tree[C1];",
    bench="""
  logic [3:0] req = 0, gnt; logic [7:0] data [4]; logic [1:0] idx; logic valid; logic [7:0] out;
  prim_arbiter_fixed #(.N(4), .DW(8)) dut(.clk_i(1'b0), .rst_ni(1'b1), .req_i(req), .data_i(data), .gnt_o(gnt),
    .idx_o(idx), .valid_o(valid), .data_o(out), .ready_i(1'b1));
  initial begin
    for (int i = 0; i < 4; i++) data[i] = 8'(i);
    req = 4'b0100; #1 check("grants_the_only_one", gnt == 4'b0100);
    req = 4'b1110; #1 check("grants_the_first", gnt == 4'b0010);
    $finish;
  end
""",
    fail_to_pass="grants_the_first",
    pass_to_pass="grants_the_only_one",
)
SCRIPT = f"""
cd /code/rundir
verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style -DSYNTHESIS -I/code/{PRIMITIVES} --top-module bench \\
  -Mdir obj -o bench /code/{{path}} /code/hidden_bench.sv > build.log 2>&1 && obj/bench > bench.log
echo HWE_BENCH_RESULTS_START
grep '^TEST: ' bench.log
echo HWE_BENCH_RESULTS_END
"""
BENCH = """module bench;
  function void check(string name, logic passed);
    $display("TEST: %s ... %s", name, passed ? "PASS" : "FAIL");
  endfunction
"""


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
    subprocess.run(command, capture_output=True, check=True)


@pytest.fixture(scope="module")
def ibex(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of the core, of one commit."""
    if not IBEX.exists():
        pytest.skip("shared/data/projects/ibex.json is not on this machine")
    folder = tmp_path_factory.mktemp("repositories") / "ibex"
    for path, text in json.loads(IBEX.read_text(encoding="utf-8")).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "The core")
    return folder


def add_problem(
    bug: PlantedBug, ibex: Path, folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """Makes a pack of one problem in a folder, by the command, and returns what that prints."""
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(Home.from_environment().cache))
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(home))
    repository = folder / "ibex"
    git(folder, "clone", "-q", str(ibex), str(repository))
    file = repository / bug.path
    right_text = file.read_text(encoding="utf-8")
    assert bug.right in right_text
    file.write_text(right_text.replace(bug.right, bug.wrong), encoding="utf-8")
    git(repository, "commit", "-qam", "A change")
    file.write_text(right_text, encoding="utf-8")
    (repository / "hidden_bench.sv").write_text(f"{BENCH}{bug.bench}endmodule\n")
    (repository / "hidden_run.sh").write_text(SCRIPT.format(path=bug.path))
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "A fix")
    arguments = [str(repository), "HEAD", str(folder / "pack"), "bug", "--run", "bash hidden_run.sh", "--json"]
    tests = ["--tests", "hidden_bench.sv", "--tests", "hidden_run.sh"]
    outcome = CliRunner().invoke(app_with_commands(), ["problems", "from-commit", *arguments, *tests])
    assert outcome.exit_code == 0, outcome.output
    made: dict[str, Any] = json.loads(outcome.output)
    return made


def added_pack(desk: Desk, bug: PlantedBug, ibex: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a pack of one problem in the desk's store."""
    add_problem(bug, ibex, folder, desk.home.data.parent, monkeypatch)
    pack = read_pack_folder(folder / "pack")
    Store(desk.home).add(pack)
    return pack.name


@pytest.mark.nightly
@pytest.mark.parametrize("bug", [HAZARD, CSR, ARBITRATION], ids=["hazard", "csr", "arbitration"])
def test_a_bug_planted_into_ibex_is_a_proved_problem(
    bug: PlantedBug, ibex: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = add_problem(bug, ibex, tmp_path, tmp_path / "home", monkeypatch)
    assert (made["fail_to_pass"], made["pass_to_pass"]) == ([bug.fail_to_pass], [bug.pass_to_pass])


@pytest.mark.nightly
def test_a_model_that_gets_the_list_of_its_files_mends_ibex_with_a_diff(
    desk: Desk, ibex: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack_name = added_pack(desk, HAZARD, ibex, tmp_path, monkeypatch)
    right_text = (ibex / HAZARD.path).read_text(encoding="utf-8")
    wrong_text = right_text.replace(HAZARD.right, HAZARD.wrong)
    fix = diff_of_files({HAZARD.path: wrong_text.encode()}, {HAZARD.path: right_text.encode()})
    requests: list[str] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        requests.append("\n".join(message.text for message in messages))
        return ModelOutput.from_content("mockllm/model", fix)

    log = run(desk, scripted_model(reply), pack=pack_name)
    assert summary_of_run(log)["passed"] == 1, summary_of_run(log)["why"]
    (request,) = requests
    assert f"\n{HAZARD.path}\n" in request
    assert len(request) < 250_000
    assert "keeps_order" not in request + desk.exports()


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["codex", "opencode"])
def test_a_real_agent_mends_ibex_and_its_log_has_what_it_changed_alone(
    name: str, desk: Desk, ibex: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed_preset(name)
    pack_name = added_pack(desk, HAZARD, ibex, tmp_path, monkeypatch)
    file = f"/code/{HAZARD.path}"
    program = f"import pathlib; f = pathlib.Path({file!r}); t = f.read_text()\n"
    program += f"assert {HAZARD.wrong!r} in t; f.write_text(t.replace({HAZARD.wrong!r}, {HAZARD.right!r}))\n"
    requests: list[str] = []

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        requests.append(json.dumps([message.model_dump(mode="json") for message in messages]))
        tool_call = shell_call(offered_by(tools), f"python3 - <<'END'\n{program}END")
        if isinstance(tool_call, Call) and not any(message.role == "tool" for message in messages):
            return output_of(tool_call, messages)
        return ModelOutput.from_content("mockllm/model", "It is mended.")

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    log = run(desk, model, "agent", pack=pack_name, subject=name, limit_s=240.0)
    assert summary_of_run(log)["passed"] == 1, summary_of_run(log)["why"]
    (attempt,) = desk.attempts()
    replayed_files = replay(desk.events(attempt.id)).files
    assert replayed_files.keys() == {HAZARD.path, CHANGES}
    assert (replayed_files[CHANGES].text or "").count("diff --git") == 1
    assert desk.are_whole()
    # The hidden tests' own names reach neither the model nor the log.
    assert "keeps_order" not in "".join(requests) + desk.exports()
