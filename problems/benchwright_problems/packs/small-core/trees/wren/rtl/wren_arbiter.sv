// SPDX-License-Identifier: Apache-2.0
// Three ports share one memory. docs/bus.md has the rules that ports and memory rely on.
module wren_arbiter (
    input  logic        clk,
    input  logic        rst_n,
    input  logic [2:0]  req,
    output logic [2:0]  gnt,
    input  logic [2:0]  we,
    input  logic [95:0] addr,
    input  logic [95:0] wdata,
    output logic [2:0]  rvalid,
    output logic [31:0] rdata,
    output logic        mem_req,
    input  logic        mem_gnt,
    output logic        mem_we,
    output logic [31:0] mem_addr,
    output logic [31:0] mem_wdata,
    input  logic        mem_rvalid,
    input  logic [31:0] mem_rdata
);
  logic [1:0] turn, pick, kept, choice;
  logic       is_kept;
  // Ports whose answers are still to come, oldest first.
  logic [1:0] owner_0, owner_1, owner_2;
  logic [1:0] waiting, waiting_after_answer;

  always_comb begin
    case (turn)
      2'd0:    pick = req[0] ? 2'd0 : req[1] ? 2'd1 : 2'd2;
      2'd1:    pick = req[1] ? 2'd1 : req[2] ? 2'd2 : 2'd0;
      default: pick = req[2] ? 2'd2 : req[0] ? 2'd0 : 2'd1;
    endcase
  end

  // A request that the memory has seen stays until it is granted.
  assign choice = is_kept ? kept : pick;
  assign mem_req = |req && waiting != 2'd3;
  assign mem_we = we[choice];
  assign mem_addr = addr[32*choice+:32];
  assign mem_wdata = wdata[32*choice+:32];
  assign gnt = mem_req && mem_gnt ? 3'b001 << choice : 3'b000;
  assign rvalid = mem_rvalid ? 3'b001 << owner_0 : 3'b000;
  assign rdata = mem_rdata;
  assign waiting_after_answer = waiting - {1'b0, mem_rvalid};

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      turn <= 2'd0;
      is_kept <= 1'b0;
      waiting <= 2'd0;
    end else begin
      is_kept <= mem_req && !mem_gnt;
      kept <= choice;
      waiting <= waiting_after_answer;
      if (mem_rvalid) begin
        owner_0 <= owner_1;
        owner_1 <= owner_2;
      end
      if (mem_req && mem_gnt) begin
        turn <= choice == 2'd2 ? 2'd0 : choice + 2'd1;
        waiting <= waiting_after_answer + 2'd1;
        case (waiting_after_answer)
          2'd0:    owner_0 <= choice;
          2'd1:    owner_1 <= choice;
          default: owner_2 <= choice;
        endcase
      end
    end
  end
endmodule
