// SPDX-License-Identifier: Apache-2.0
// Control and status registers, counters and traps.
module wren_csr
  import wren_pkg::*;
(
    input  logic        clk,
    input  logic        rst_n,
    input  logic        access,   // An instruction that accesses a register is in execute,
    input  logic        commit,   // and the instruction in execute leaves it in this cycle.
    input  logic        writes,
    input  logic [1:0]  kind,     // 1: write, 2: set bits, 3: clear bits.
    input  logic [11:0] address,
    input  logic [31:0] operand,
    output logic [31:0] value,
    output logic        illegal,
    input  logic        retire,
    input  logic        trap,
    input  logic [31:0] trap_pc,
    input  logic        trap_is_ecall,
    output logic [31:0] trap_target,
    output logic [31:0] return_target
);
  logic [63:0] cycle, instret;
  logic [31:0] mtvec, mscratch, mepc, mcause, new_value;
  logic        is_known, is_written;

  always_comb begin
    is_known = 1'b1;
    case (address)
      CSR_MTVEC:                     value = mtvec;
      CSR_MSCRATCH:                  value = mscratch;
      CSR_MEPC:                      value = mepc;
      CSR_MCAUSE:                    value = mcause;
      CSR_MCYCLE, CSR_CYCLE:         value = cycle[31:0];
      CSR_MCYCLEH, CSR_CYCLEH:       value = cycle[63:32];
      CSR_MINSTRET, CSR_INSTRET:     value = instret[31:0];
      CSR_MINSTRETH, CSR_INSTRETH:   value = instret[63:32];
      default: begin
        value = 32'd0;
        is_known = 1'b0;
      end
    endcase
  end

  always_comb begin
    case (kind)
      2'd2:    new_value = value | operand;
      2'd3:    new_value = value & ~operand;
      default: new_value = operand;
    endcase
  end

  // Addresses that begin with two ones are read-only.
  assign illegal = access && (!is_known || (writes && address[11:10] == 2'b11));
  assign is_written = access && commit && writes && !illegal;
  assign trap_target = mtvec;
  assign return_target = mepc;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      cycle <= 64'd0;
      instret <= 64'd0;
      mtvec <= 32'd0;
      mscratch <= 32'd0;
      mepc <= 32'd0;
      mcause <= 32'd0;
    end else begin
      cycle <= cycle + 64'd1;
      if (retire) instret <= instret + 64'd1;
      if (trap) begin
        mepc <= trap_pc;
        mcause <= trap_is_ecall ? CAUSE_ECALL : CAUSE_ILLEGAL;
      end
      // What is written counts, and not the increment.
      if (is_written) begin
        case (address)
          CSR_MTVEC:     mtvec <= {new_value[31:2], 2'b00};
          CSR_MSCRATCH:  mscratch <= new_value;
          CSR_MEPC:      mepc <= {new_value[31:2], 2'b00};
          CSR_MCAUSE:    mcause <= new_value;
          CSR_MCYCLE:    cycle <= {cycle[63:32], new_value};
          CSR_MCYCLEH:   cycle <= {new_value, cycle[31:0]};
          CSR_MINSTRET:  instret <= {instret[63:32], new_value};
          CSR_MINSTRETH: instret <= {new_value, instret[31:0]};
          default: ;
        endcase
      end
    end
  end
endmodule
