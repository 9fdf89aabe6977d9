// SPDX-License-Identifier: Apache-2.0
// The core, and two ports for others, at one memory.
module wren_soc #(
    parameter logic [31:0] RESET_PC = 32'h0000_1000
) (
    input  logic        clk,
    input  logic        rst_n,
    output logic [31:0] instr_addr,
    input  logic [31:0] instr,
    input  logic [1:0]  port_req,
    output logic [1:0]  port_gnt,
    input  logic [1:0]  port_we,
    input  logic [63:0] port_addr,
    input  logic [63:0] port_wdata,
    output logic [1:0]  port_rvalid,
    output logic [31:0] port_rdata,
    output logic        mem_req,
    input  logic        mem_gnt,
    output logic        mem_we,
    output logic [31:0] mem_addr,
    output logic [31:0] mem_wdata,
    input  logic        mem_rvalid,
    input  logic [31:0] mem_rdata,
    output logic        retire_valid,
    output logic [31:0] retire_pc
);
  logic        data_req, data_gnt, data_we, data_rvalid;
  logic [31:0] data_addr, data_wdata;

  wren_core #(.RESET_PC(RESET_PC)) core (
      .clk(clk), .rst_n(rst_n), .instr_addr(instr_addr), .instr(instr),
      .data_req(data_req), .data_gnt(data_gnt), .data_we(data_we), .data_addr(data_addr), .data_wdata(data_wdata),
      .data_rvalid(data_rvalid), .data_rdata(port_rdata), .retire_valid(retire_valid), .retire_pc(retire_pc)
  );

  wren_arbiter arbiter (
      .clk(clk), .rst_n(rst_n), .req({port_req, data_req}), .gnt({port_gnt, data_gnt}), .we({port_we, data_we}),
      .addr({port_addr, data_addr}), .wdata({port_wdata, data_wdata}), .rvalid({port_rvalid, data_rvalid}),
      .rdata(port_rdata), .mem_req(mem_req), .mem_gnt(mem_gnt), .mem_we(mem_we), .mem_addr(mem_addr),
      .mem_wdata(mem_wdata), .mem_rvalid(mem_rvalid), .mem_rdata(mem_rdata)
  );
endmodule
