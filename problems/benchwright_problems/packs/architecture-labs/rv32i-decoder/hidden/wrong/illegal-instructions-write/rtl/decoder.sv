// Wrong: only the opcode decides whether there is an effect.
// SPDX-License-Identifier: Apache-2.0

module decoder (
    input  logic [31:0] instr,
    output logic        legal,
    output logic [31:0] imm,
    output logic [4:0]  rd,
    output logic [4:0]  rs1,
    output logic [4:0]  rs2,
    output logic        reg_write,
    output logic        mem_read,
    output logic        mem_write,
    output logic        is_branch,
    output logic        is_jump,
    output logic [3:0]  alu_op,
    output logic [1:0]  a_select,
    output logic        b_is_imm
);

    localparam logic [6:0] LOAD = 7'b0000011, OP_IMM = 7'b0010011, AUIPC = 7'b0010111, STORE = 7'b0100011;
    localparam logic [6:0] OP = 7'b0110011, LUI = 7'b0110111, BRANCH = 7'b1100011, JALR = 7'b1100111, JAL = 7'b1101111;

    localparam logic [3:0] ADD = 4'd0, SUB = 4'd1, AND = 4'd2, OR = 4'd3, XOR = 4'd4;
    localparam logic [3:0] SLL = 4'd5, SRL = 4'd6, SRA = 4'd7, SLT = 4'd8, SLTU = 4'd9;
    localparam logic [1:0] FROM_RS1 = 2'd0, FROM_PC = 2'd1, FROM_ZERO = 2'd2;

    logic [6:0] opcode;
    logic [2:0] funct3;
    logic [6:0] funct7;
    logic alternative;
    logic [31:0] imm_i, imm_s, imm_b, imm_u, imm_j;
    logic [3:0] operation;

    assign opcode = instr[6:0];
    assign funct3 = instr[14:12];
    assign funct7 = instr[31:25];
    assign rd = instr[11:7];
    assign rs1 = instr[19:15];
    assign rs2 = instr[24:20];

    assign imm_i = {{20{instr[31]}}, instr[31:20]};
    assign imm_s = {{20{instr[31]}}, instr[31:25], instr[11:7]};
    assign imm_b = {{19{instr[31]}}, instr[31], instr[7], instr[30:25], instr[11:8], 1'b0};
    assign imm_u = {instr[31:12], 12'b0};
    assign imm_j = {{11{instr[31]}}, instr[31], instr[19:12], instr[20], instr[30:21], 1'b0};

    // Bit 30 makes SUB of ADD, but not with an immediate, where it belongs to the number.
    assign alternative = funct7 == 7'b0100000;
    always_comb begin
        case (funct3)
            3'b000:  operation = (alternative && opcode == OP) ? SUB : ADD;
            3'b001:  operation = SLL;
            3'b010:  operation = SLT;
            3'b011:  operation = SLTU;
            3'b100:  operation = XOR;
            3'b101:  operation = alternative ? SRA : SRL;
            3'b110:  operation = OR;
            default: operation = AND;
        endcase
    end

    always_comb begin
        legal = 1'b0;
        imm = imm_i;
        alu_op = ADD;
        a_select = FROM_RS1;
        b_is_imm = 1'b1;
        case (opcode)
            OP: begin
                legal = funct7 == 7'b0 || (alternative && (funct3 == 3'b000 || funct3 == 3'b101));
                imm = 32'b0;
                alu_op = operation;
                b_is_imm = 1'b0;
            end
            OP_IMM: begin
                legal = (funct3 == 3'b001) ? funct7 == 7'b0 : (funct3 == 3'b101) ? funct7 == 7'b0 || alternative : 1'b1;
                alu_op = operation;
            end
            LOAD:   legal = funct3 != 3'b011 && funct3 < 3'b110;
            JALR:   legal = funct3 == 3'b000;
            STORE: begin
                legal = funct3 < 3'b011;
                imm = imm_s;
            end
            BRANCH: begin
                legal = funct3[2:1] != 2'b01;
                imm = imm_b;
                a_select = FROM_PC;
            end
            JAL: begin
                legal = 1'b1;
                imm = imm_j;
                a_select = FROM_PC;
            end
            AUIPC: begin
                legal = 1'b1;
                imm = imm_u;
                a_select = FROM_PC;
            end
            LUI: begin
                legal = 1'b1;
                imm = imm_u;
                a_select = FROM_ZERO;
            end
            default: legal = 1'b0;
        endcase
    end

    assign mem_read = legal && opcode == LOAD;
    assign mem_write = opcode == STORE;
    assign is_branch = legal && opcode == BRANCH;
    assign is_jump = legal && (opcode == JAL || opcode == JALR);
    assign reg_write = opcode != STORE && opcode != BRANCH && rd != 5'd0;

endmodule
