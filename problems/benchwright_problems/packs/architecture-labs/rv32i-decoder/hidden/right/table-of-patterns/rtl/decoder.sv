// Right as well: one table with a pattern for each group of instructions gives a word of control bits; each bit of the immediate is chosen by itself.
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

    logic [12:0] control;
    logic [2:0] form;
    logic [3:0] by_funct3;
    logic sign;

    // Forms of the immediate: none, I, S, B, U, J.
    localparam logic [2:0] N = 3'd0, I = 3'd1, S = 3'd2, B = 3'd3, U = 3'd4, J = 3'd5;

    assign {rs2, rs1, rd} = {instr[24:15], instr[11:7]};

    always_comb begin
        case ({instr[30] & (instr[5] | instr[14:12] == 3'd5), instr[14:12]})
            4'b1000: by_funct3 = 4'd1;
            4'b1101: by_funct3 = 4'd7;
            4'b0000: by_funct3 = 4'd0;
            4'b0001: by_funct3 = 4'd5;
            4'b0010: by_funct3 = 4'd8;
            4'b0011: by_funct3 = 4'd9;
            4'b0100: by_funct3 = 4'd4;
            4'b0101: by_funct3 = 4'd6;
            4'b0110: by_funct3 = 4'd3;
            4'b0111: by_funct3 = 4'd2;
            default: by_funct3 = 4'd0;
        endcase
    end

    // legal, form, writes, reads memory, writes memory, branch, jump, uses by_funct3, a_select, b_is_imm
    always_comb begin
        casez (instr)
            32'b0000000_?????_?????_???_?????_0110011: control = {1'b1, N, 6'b100001, 3'b000};
            32'b0100000_?????_?????_000_?????_0110011: control = {1'b1, N, 6'b100001, 3'b000};
            32'b0100000_?????_?????_101_?????_0110011: control = {1'b1, N, 6'b100001, 3'b000};
            32'b???????_?????_?????_?00_?????_0010011: control = {1'b1, I, 6'b100001, 3'b001};
            32'b???????_?????_?????_?1?_?????_0010011: control = {1'b1, I, 6'b100001, 3'b001};
            32'b0000000_?????_?????_?01_?????_0010011: control = {1'b1, I, 6'b100001, 3'b001};
            32'b0100000_?????_?????_101_?????_0010011: control = {1'b1, I, 6'b100001, 3'b001};
            32'b???????_?????_?????_?00_?????_0000011: control = {1'b1, I, 6'b110000, 3'b001};
            32'b???????_?????_?????_?01_?????_0000011: control = {1'b1, I, 6'b110000, 3'b001};
            32'b???????_?????_?????_010_?????_0000011: control = {1'b1, I, 6'b110000, 3'b001};
            32'b???????_?????_?????_000_?????_1100111: control = {1'b1, I, 6'b100010, 3'b001};
            32'b???????_?????_?????_00?_?????_0100011: control = {1'b1, S, 6'b001000, 3'b001};
            32'b???????_?????_?????_010_?????_0100011: control = {1'b1, S, 6'b001000, 3'b001};
            32'b???????_?????_?????_?0?_?????_1100011: control = {1'b1, B, 6'b000100, 3'b011};
            32'b???????_?????_?????_11?_?????_1100011: control = {1'b1, B, 6'b000100, 3'b011};
            32'b???????_?????_?????_???_?????_0010111: control = {1'b1, U, 6'b100000, 3'b011};
            32'b???????_?????_?????_???_?????_0110111: control = {1'b1, U, 6'b100000, 3'b101};
            32'b???????_?????_?????_???_?????_1101111: control = {1'b1, J, 6'b100010, 3'b011};
            default: control = 13'b0;
        endcase
        if (instr[6:0] == 7'b1100011 && instr[14:13] == 2'b01) control = 13'b0;
    end

    assign {legal, form} = control[12:9];
    assign reg_write = control[8] & (|rd);
    assign {mem_read, mem_write, is_branch, is_jump} = control[7:4];
    assign alu_op = control[3] ? by_funct3 : 4'd0;
    assign {a_select, b_is_imm} = control[2:0];

    assign sign = instr[31] & (form != N);
    always_comb begin
        imm[31] = sign;
        imm[30:20] = (form == U) ? instr[30:20] : {11{sign}};
        imm[19:12] = (form == U || form == J) ? instr[19:12] : {8{sign}};
        imm[11] = (form == J) ? instr[20] : (form == B) ? instr[7] : (form == U) ? 1'b0 : sign;
        imm[10:5] = (form == U || form == N) ? 6'b0 : instr[30:25];
        imm[4:1] = (form == I || form == J) ? instr[24:21] : (form == S || form == B) ? instr[11:8] : 4'b0;
        imm[0] = (form == I) ? instr[20] : (form == S) ? instr[7] : 1'b0;
    end

endmodule
