// SPDX-License-Identifier: Apache-2.0
// 31 registers; what is written in a cycle is read in the next one.
module wren_regfile (
    input  logic        clk,
    input  logic        we,
    input  logic [4:0]  waddr,
    input  logic [31:0] wdata,
    input  logic [4:0]  raddr_1,
    input  logic [4:0]  raddr_2,
    output logic [31:0] rdata_1,
    output logic [31:0] rdata_2
);
  logic [31:0] registers[1:31];

  always_ff @(posedge clk) if (we && waddr != 5'd0) registers[waddr] <= wdata;

  assign rdata_1 = raddr_1 == 5'd0 ? 32'd0 : registers[raddr_1];
  assign rdata_2 = raddr_2 == 5'd0 ? 32'd0 : registers[raddr_2];
endmodule
