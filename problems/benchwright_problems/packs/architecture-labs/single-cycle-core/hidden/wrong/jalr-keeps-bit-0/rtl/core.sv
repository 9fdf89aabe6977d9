// Wrong: the target of JALR may be odd.
// SPDX-License-Identifier: Apache-2.0

module core #(
    parameter logic [31:0] RESET_PC = 32'd0
) (
    input  logic        clk,
    input  logic        rst,
    output logic [31:0] pc,
    input  logic [31:0] instr,
    output logic        trap,
    output logic        mem_valid,
    output logic        mem_write,
    output logic [31:0] mem_addr,
    output logic [3:0]  mem_strobe,
    output logic [31:0] mem_wdata,
    input  logic [31:0] mem_rdata
);

    localparam logic [6:0] LOAD = 7'b0000011, OP_IMM = 7'b0010011, AUIPC = 7'b0010111, STORE = 7'b0100011;
    localparam logic [6:0] OP = 7'b0110011, LUI = 7'b0110111, BRANCH = 7'b1100011, JALR = 7'b1100111, JAL = 7'b1101111;
    localparam logic [6:0] FENCE = 7'b0001111;

    // Fields and immediates.
    logic [6:0] opcode;
    logic [2:0] funct3;
    logic [4:0] rd, rs1, rs2;
    logic [31:0] imm_i, imm_s, imm_b, imm_u, imm_j;

    assign opcode = instr[6:0];
    assign funct3 = instr[14:12];
    assign rd = instr[11:7];
    assign rs1 = instr[19:15];
    assign rs2 = instr[24:20];
    assign imm_i = {{20{instr[31]}}, instr[31:20]};
    assign imm_s = {{20{instr[31]}}, instr[31:25], instr[11:7]};
    assign imm_b = {{19{instr[31]}}, instr[31], instr[7], instr[30:25], instr[11:8], 1'b0};
    assign imm_u = {instr[31:12], 12'b0};
    assign imm_j = {{11{instr[31]}}, instr[31], instr[19:12], instr[20], instr[30:21], 1'b0};

    // What is an instruction.
    logic plain, alternative;
    assign plain = instr[31:25] == 7'b0;
    assign alternative = instr[31:25] == 7'b0100000;
    always_comb begin
        case (opcode)
            LUI, AUIPC, JAL, FENCE: trap = 1'b0;
            JALR:    trap = funct3 != 3'b000;
            BRANCH:  trap = funct3[2:1] == 2'b01;
            LOAD:    trap = funct3 == 3'b011 || funct3 > 3'b101;
            STORE:   trap = funct3 > 3'b010;
            OP_IMM:  trap = (funct3 == 3'b001) ? !plain : (funct3 == 3'b101) ? !plain && !alternative : 1'b0;
            OP:      trap = !plain && !(alternative && (funct3 == 3'b000 || funct3 == 3'b101));
            default: trap = 1'b1;
        endcase
    end

    // Registers; the one with number 0 is never written and never read.
    logic [31:0] registers [0:31];
    logic [31:0] first, second, result;
    logic writes;

    assign first = (rs1 == 5'd0) ? 32'd0 : registers[rs1];
    assign second = (rs2 == 5'd0) ? 32'd0 : registers[rs2];

    // Arithmetic.
    logic [31:0] operand, computed;
    assign operand = (opcode == OP) ? second : imm_i;
    always_comb begin
        case (funct3)
            3'b000:  computed = (opcode == OP && alternative) ? first - operand : first + operand;
            3'b001:  computed = first << operand[4:0];
            3'b010:  computed = {31'b0, $signed(first) < $signed(operand)};
            3'b011:  computed = {31'b0, first < operand};
            3'b100:  computed = first ^ operand;
            3'b101: begin
                if (alternative) computed = $signed(first) >>> operand[4:0];
                else computed = first >> operand[4:0];
            end
            3'b110:  computed = first | operand;
            default: computed = first & operand;
        endcase
    end

    // Branches.
    logic condition;
    always_comb begin
        case (funct3[2:1])
            2'b00:   condition = first == second;
            2'b10:   condition = $signed(first) < $signed(second);
            default: condition = first < second;
        endcase
    end

    logic [31:0] next_pc;
    always_comb begin
        next_pc = pc + 32'd4;
        if (opcode == JAL) next_pc = pc + imm_j;
        if (opcode == JALR) next_pc = first + imm_i;
        if (opcode == BRANCH && condition != funct3[0]) next_pc = pc + imm_b;
    end

    // Memory.
    logic [31:0] loaded;
    logic [7:0] loaded_byte;
    logic [15:0] loaded_half;

    assign mem_valid = !trap && (opcode == LOAD || opcode == STORE);
    assign mem_write = !trap && opcode == STORE;
    assign mem_addr = first + (opcode == STORE ? imm_s : imm_i);
    always_comb begin
        case (funct3[1:0])
            2'b00: begin
                mem_strobe = 4'b0001 << mem_addr[1:0];
                mem_wdata = {4{second[7:0]}};
            end
            2'b01: begin
                mem_strobe = mem_addr[1] ? 4'b1100 : 4'b0011;
                mem_wdata = {second[15:0], second[15:0]};
            end
            default: begin
                mem_strobe = 4'b1111;
                mem_wdata = second;
            end
        endcase
        if (!mem_write) mem_strobe = 4'b0000;
    end

    assign loaded_half = mem_addr[1] ? mem_rdata[31:16] : mem_rdata[15:0];
    assign loaded_byte = mem_addr[0] ? loaded_half[15:8] : loaded_half[7:0];
    always_comb begin
        case (funct3)
            3'b000:  loaded = {{24{loaded_byte[7]}}, loaded_byte};
            3'b001:  loaded = {{16{loaded_half[15]}}, loaded_half};
            3'b100:  loaded = {24'b0, loaded_byte};
            3'b101:  loaded = {16'b0, loaded_half};
            default: loaded = mem_rdata;
        endcase
    end

    // What is written back.
    always_comb begin
        case (opcode)
            LUI:       result = imm_u;
            AUIPC:     result = pc + imm_u;
            JAL, JALR: result = pc + 32'd4;
            LOAD:      result = loaded;
            default:   result = computed;
        endcase
    end
    assign writes = !trap && rd != 5'd0 && opcode != STORE && opcode != BRANCH && opcode != FENCE;

    always_ff @(posedge clk) begin
        if (rst) pc <= RESET_PC;
        else if (!trap) pc <= next_pc;
    end

    always_ff @(posedge clk) begin
        if (writes && !rst) registers[rd] <= result;
    end

endmodule
