// Wrong: a taken branch costs a cycle more than it may: the target is fetched late.
// SPDX-License-Identifier: Apache-2.0

module pipelined_core #(
    parameter logic [31:0] RESET_PC = 32'd0
) (
    input  logic        clk,
    input  logic        rst,
    output logic [31:0] pc,
    input  logic [31:0] instr,
    output logic        mem_valid,
    output logic        mem_write,
    output logic [31:0] mem_addr,
    output logic [31:0] mem_wdata,
    input  logic [31:0] mem_rdata,
    output logic        retire_valid,
    output logic [31:0] retire_pc
);

    localparam logic [6:0] LOAD = 7'b0000011, OP_IMM = 7'b0010011, STORE = 7'b0100011, OP = 7'b0110011;
    localparam logic [6:0] LUI = 7'b0110111, BRANCH = 7'b1100011, JALR = 7'b1100111, JAL = 7'b1101111;

    // The registers between the stages: into decode, execute, memory, write back.
    logic d_valid, x_valid, m_valid, w_valid;
    logic [31:0] d_pc, x_pc, m_pc, w_pc;
    logic [31:0] d_instr, x_instr;
    logic [31:0] x_read1, x_read2;
    logic m_writes, m_is_load, m_is_store;
    logic [4:0] m_rd;
    logic [31:0] m_result, m_data;
    logic w_writes;
    logic [4:0] w_rd;
    logic [31:0] w_result;

    logic stall, redirect, late;
    logic [31:0] target;

    // Decode: the registers, with what is being written back, and the wait for a load.
    logic [31:0] registers [0:31];
    logic [6:0] d_opcode, x_opcode;
    logic [4:0] d_rs1, d_rs2, x_rs1, x_rs2, x_rd;
    logic [31:0] d_read1, d_read2;
    logic d_reads1, d_reads2;

    assign d_opcode = d_instr[6:0];
    assign d_rs1 = d_instr[19:15];
    assign d_rs2 = d_instr[24:20];
    assign d_reads1 = d_opcode != LUI && d_opcode != JAL;
    assign d_reads2 = d_opcode == OP || d_opcode == STORE || d_opcode == BRANCH;
    assign d_read1 = (w_writes && w_rd == d_rs1) ? w_result : registers[d_rs1];
    assign d_read2 = (w_writes && w_rd == d_rs2) ? w_result : registers[d_rs2];
    assign stall = d_valid && x_valid && x_opcode == LOAD && x_rd != 5'd0
        && ((d_reads1 && d_rs1 == x_rd) || (d_reads2 && d_rs2 == x_rd));

    // Execute: operands, arithmetic, and where the program goes on.
    logic [31:0] first, second, operand, imm, address, x_result;
    logic [2:0] funct3;
    logic condition;

    assign x_opcode = x_instr[6:0];
    assign funct3 = x_instr[14:12];
    assign x_rd = x_instr[11:7];
    assign x_rs1 = x_instr[19:15];
    assign x_rs2 = x_instr[24:20];

    assign first = (x_rs1 == 5'd0) ? 32'd0
                 : (m_writes && m_rd == x_rs1) ? m_result
                 : (w_writes && w_rd == x_rs1) ? w_result : x_read1;
    assign second = (x_rs2 == 5'd0) ? 32'd0
                  : (m_writes && m_rd == x_rs2) ? m_result
                  : (w_writes && w_rd == x_rs2) ? w_result : x_read2;

    always_comb begin
        case (x_opcode)
            STORE:   imm = {{20{x_instr[31]}}, x_instr[31:25], x_instr[11:7]};
            BRANCH:  imm = {{19{x_instr[31]}}, x_instr[31], x_instr[7], x_instr[30:25], x_instr[11:8], 1'b0};
            JAL:     imm = {{11{x_instr[31]}}, x_instr[31], x_instr[19:12], x_instr[20], x_instr[30:21], 1'b0};
            LUI:     imm = {x_instr[31:12], 12'b0};
            default: imm = {{20{x_instr[31]}}, x_instr[31:20]};
        endcase
    end

    assign operand = (x_opcode == OP) ? second : imm;
    always_comb begin
        case (x_opcode)
            LUI:       x_result = imm;
            JAL, JALR: x_result = x_pc + 32'd4;
            OP, OP_IMM: begin
                case (funct3)
                    3'b010:  x_result = {31'b0, $signed(first) < $signed(operand)};
                    3'b011:  x_result = {31'b0, first < operand};
                    3'b100:  x_result = first ^ operand;
                    3'b110:  x_result = first | operand;
                    3'b111:  x_result = first & operand;
                    default: x_result = (x_opcode == OP && x_instr[30]) ? first - operand : first + operand;
                endcase
            end
            default: x_result = address;
        endcase
    end

    assign condition = funct3[2] ? $signed(first) < $signed(second) : first == second;
    assign redirect = x_valid && (x_opcode == JAL || x_opcode == JALR || (x_opcode == BRANCH && condition != funct3[0]));
    assign address = first + imm;
    assign target = (x_opcode == JALR) ? {address[31:1], 1'b0} : x_pc + imm;

    // Memory and write back.
    assign mem_valid = m_valid && (m_is_load || m_is_store);
    assign mem_write = m_valid && m_is_store;
    assign mem_addr = m_result;
    assign mem_wdata = m_data;
    assign retire_valid = w_valid;
    assign retire_pc = w_pc;

    always_ff @(posedge clk) begin
        if (rst) begin
            pc <= RESET_PC;
            d_valid <= 1'b0;
            x_valid <= 1'b0;
            m_valid <= 1'b0;
            w_valid <= 1'b0;
            m_writes <= 1'b0;
            w_writes <= 1'b0;
        end else begin
            late <= redirect;
            if (redirect) pc <= target;
            else if (!stall && !late) pc <= pc + 32'd4;

            if (redirect || late) d_valid <= 1'b0;
            else if (!stall) d_valid <= 1'b1;
            if (!stall) begin
                d_pc <= pc;
                d_instr <= instr;
            end

            x_valid <= d_valid && !stall && !redirect;
            x_pc <= d_pc;
            x_instr <= d_instr;
            x_read1 <= d_read1;
            x_read2 <= d_read2;

            m_valid <= x_valid;
            m_pc <= x_pc;
            m_writes <= x_valid && x_rd != 5'd0 && x_opcode != STORE && x_opcode != BRANCH;
            m_is_load <= x_opcode == LOAD;
            m_is_store <= x_opcode == STORE;
            m_rd <= x_rd;
            m_result <= x_result;
            m_data <= second;

            w_valid <= m_valid;
            w_pc <= m_pc;
            w_writes <= m_writes;
            w_rd <= m_rd;
            w_result <= m_is_load ? mem_rdata : m_result;
        end
    end

    always_ff @(posedge clk) begin
        if (w_writes) registers[w_rd] <= w_result;
    end

endmodule
