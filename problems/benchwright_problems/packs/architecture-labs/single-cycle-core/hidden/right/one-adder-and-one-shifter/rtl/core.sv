// Right as well: one adder makes sums, differences, comparisons, addresses and targets, one shifter all shifts; loads and stores shift the word.
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

    // Registers as one vector; a word of zeros stands in place 0.
    logic [32*32-1:0] file;
    logic [31:0] x1, x2, imm, left, right_side, sum, link, shifted, value, lane;
    logic [32:0] difference;
    logic [4:0] code;
    logic [2:0] kind;
    logic is_imm, is_reg, is_load, is_store, is_branch, is_jal, is_jalr, is_lui, is_auipc, is_fence, known;
    logic less, less_unsigned, equal, taken, shift_bits_ok;

    assign code = instr[6:2];
    assign kind = instr[14:12];
    assign is_load = code == 5'b00000;
    assign is_fence = code == 5'b00011;
    assign is_imm = code == 5'b00100;
    assign is_auipc = code == 5'b00101;
    assign is_store = code == 5'b01000;
    assign is_reg = code == 5'b01100;
    assign is_lui = code == 5'b01101;
    assign is_branch = code == 5'b11000;
    assign is_jalr = code == 5'b11001;
    assign is_jal = code == 5'b11011;

    assign shift_bits_ok = {instr[31], instr[29:25]} == 6'b0 && (!instr[30] || kind == 3'b101);
    assign known = is_lui || is_auipc || is_jal || is_fence
        || (is_jalr && kind == 3'b000)
        || (is_branch && kind != 3'b010 && kind != 3'b011)
        || (is_load && (kind[1:0] != 2'b11) && kind != 3'b110)
        || (is_store && !kind[2] && kind[1:0] != 2'b11)
        || (is_imm && (kind[1:0] != 2'b01 || shift_bits_ok))
        || (is_reg && ({instr[31], instr[29:25]} == 6'b0) && (!instr[30] || kind == 3'b101 || kind == 3'b000));
    assign trap = !(known && instr[1:0] == 2'b11);

    assign x1 = file[{instr[19:15], 5'b0} +: 32];
    assign x2 = file[{instr[24:20], 5'b0} +: 32];

    always_comb begin
        imm = {{20{instr[31]}}, instr[31:20]};
        if (is_store) imm[4:0] = instr[11:7];
        if (is_branch) imm = {{20{instr[31]}}, instr[7], instr[30:25], instr[11:8], 1'b0};
        if (is_jal) imm = {{12{instr[31]}}, instr[19:12], instr[20], instr[30:21], 1'b0};
        if (is_lui || is_auipc) imm = {instr[31:12], 12'b0};
    end

    assign left = (is_branch || is_jal || is_auipc) ? pc : is_lui ? 32'd0 : x1;
    assign right_side = is_reg ? x2 : imm;
    assign sum = left + right_side;
    assign difference = {1'b0, x1} - {1'b0, (is_reg || is_branch) ? x2 : imm};
    assign equal = difference[31:0] == 32'd0;
    assign less_unsigned = difference[32];
    assign less = (x1[31] != ((is_reg || is_branch) ? x2[31] : imm[31])) ? x1[31] : difference[31];
    assign link = pc + 32'd4;

    // A shift to the left is one to the right between two reversals.
    always_comb begin
        logic [32:0] turned;
        turned[32] = instr[30] & x1[31] & kind[2];
        for (int i = 0; i < 32; i = i + 1) turned[i] = kind[2] ? x1[i] : x1[31-i];
        turned = $signed(turned) >>> right_side[4:0];
        for (int i = 0; i < 32; i = i + 1) shifted[i] = kind[2] ? turned[i] : turned[31-i];
    end

    assign lane = mem_rdata >> {mem_addr[1:0], 3'b0};
    always_comb begin
        value = sum;
        if (is_reg || is_imm) begin
            case (kind)
                3'b000: value = (is_reg && instr[30]) ? difference[31:0] : sum;
                3'b001, 3'b101: value = shifted;
                3'b010: value = {31'b0, less};
                3'b011: value = {31'b0, less_unsigned};
                3'b100: value = x1 ^ right_side;
                3'b110: value = x1 | right_side;
                3'b111: value = x1 & right_side;
            endcase
        end
        if (is_load) begin
            value = lane;
            if (kind[1:0] == 2'b00) value[31:8] = {24{lane[7] & !kind[2]}};
            if (kind[1:0] == 2'b01) value[31:16] = {16{lane[15] & !kind[2]}};
        end
        if (is_jal || is_jalr) value = link;
    end

    assign taken = kind[0] ^ (kind[2] ? (kind[1] ? less_unsigned : less) : equal);
    assign mem_valid = !trap && (is_load || is_store);
    assign mem_write = !trap && is_store;
    assign mem_addr = sum;
    assign mem_wdata = (kind[1:0] == 2'b00) ? x2[7:0] * 32'h01010101 : (kind[1:0] == 2'b01) ? {x2[15:0], x2[15:0]} : x2;
    assign mem_strobe = {4{mem_write}} & (((kind[1:0] == 2'b00) ? 4'd1 : (kind[1:0] == 2'b01) ? 4'd3 : 4'd15) << mem_addr[1:0]);

    always_ff @(posedge clk) begin
        if (rst) pc <= RESET_PC;
        else if (!trap) pc <= (is_jal || is_jalr || (is_branch && taken)) ? {sum[31:1], 1'b0} : link;
        if (!rst && !trap && !is_store && !is_branch && !is_fence) file[{instr[11:7], 5'b0} +: 32] <= value;
        file[31:0] <= 32'd0;
    end

endmodule
