// Right as well: only two stages: what is fetched in one cycle is carried out as a whole in the next, so nothing has to be forwarded or waited for.
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

    logic valid;
    logic [31:0] at, word, a, b, imm, value;
    logic [1023:0] file;
    logic is_lui, is_jal, is_jalr, is_branch, is_load, is_store, is_op, is_less, leaves;

    assign is_lui = word[6:2] == 5'b01101;
    assign is_jal = word[6:2] == 5'b11011;
    assign is_jalr = word[6:2] == 5'b11001;
    assign is_branch = word[6:2] == 5'b11000;
    assign is_load = word[6:2] == 5'b00000;
    assign is_store = word[6:2] == 5'b01000;
    assign is_op = word[6:2] == 5'b01100;

    assign a = (word[19:15] == 5'd0) ? 32'd0 : file[{word[19:15], 5'b0} +: 32];
    assign b = (word[24:20] == 5'd0) ? 32'd0 : file[{word[24:20], 5'b0} +: 32];

    always_comb begin
        imm = {{20{word[31]}}, word[31:20]};
        if (is_store) imm[4:0] = word[11:7];
        if (is_branch) imm = {{20{word[31]}}, word[7], word[30:25], word[11:8], 1'b0};
        if (is_jal) imm = {{12{word[31]}}, word[19:12], word[20], word[30:21], 1'b0};
        if (is_lui) imm = {word[31:12], 12'b0};
    end

    always_comb begin
        logic [31:0] c;
        c = is_op ? b : imm;
        is_less = (a[31] == c[31]) ? a < c : a[31];
        case (word[14:12])
            3'd2: value = {31'b0, is_less};
            3'd3: value = {31'b0, a < c};
            3'd4: value = a ^ c;
            3'd6: value = a | c;
            3'd7: value = a & c;
            default: value = (is_op & word[30]) ? a - c : a + c;
        endcase
        if (is_lui) value = imm;
        if (is_jal || is_jalr) value = at + 32'd4;
        if (is_load) value = mem_rdata;
    end

    assign leaves = valid & (is_jal | is_jalr
        | (is_branch & (word[12] ^ (word[14] ? ((a[31] == b[31]) ? a < b : a[31]) : a == b))));
    assign mem_valid = valid & (is_load | is_store);
    assign mem_write = valid & is_store;
    assign mem_addr = a + imm;
    assign mem_wdata = b;
    assign retire_valid = valid;
    assign retire_pc = at;

    always_ff @(posedge clk) begin
        valid <= !rst && !leaves;
        at <= pc;
        word <= instr;
        if (rst) pc <= RESET_PC;
        else if (leaves) pc <= is_jalr ? (a + imm) & ~32'd1 : at + imm;
        else pc <= pc + 32'd4;
        if (valid && !is_branch && !is_store) file[{word[11:7], 5'b0} +: 32] <= value;
    end

endmodule
