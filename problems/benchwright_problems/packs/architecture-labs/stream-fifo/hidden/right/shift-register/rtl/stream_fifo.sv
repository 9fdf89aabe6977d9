// Right as well: the oldest word is always in place 0, and all words move when it leaves; no pointer wraps.
// SPDX-License-Identifier: Apache-2.0

module stream_fifo #(
    parameter int WIDTH  = 8,
    parameter int DEPTH  = 8,
    parameter int MARGIN = 2
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             flush,
    input  logic             s_valid,
    output logic             s_ready,
    input  logic [WIDTH-1:0] s_data,
    output logic             m_valid,
    input  logic             m_ready,
    output logic [WIDTH-1:0] m_data,
    output logic             almost_full
);

    localparam int CW = $clog2(DEPTH + 1);

    logic [DEPTH*WIDTH-1:0] words, moved;
    logic [DEPTH-1:0] used, used_after_pop;
    logic push, pop;
    int room;

    // Bit i of `used` says that place i has a word; the used places are the lowest.
    assign m_valid = used[0];
    assign m_data = words[WIDTH-1:0];
    assign pop = used[0] & m_ready;
    assign s_ready = ~flush & (~used[DEPTH-1] | pop);
    assign push = s_valid & s_ready;

    always_comb begin
        room = 0;
        for (int i = 0; i < DEPTH; i = i + 1) if (!used[i]) room = room + 1;
    end
    assign almost_full = room <= MARGIN;

    assign moved = pop ? words >> WIDTH : words;
    assign used_after_pop = pop ? used >> 1 : used;

    always_ff @(posedge clk) begin
        for (int i = 0; i < DEPTH; i = i + 1) begin
            if (push && !used_after_pop[i] && (i == 0 || used_after_pop[(i + DEPTH - 1) % DEPTH]))
                words[i*WIDTH +: WIDTH] <= s_data;
            else words[i*WIDTH +: WIDTH] <= moved[i*WIDTH +: WIDTH];
        end
        if (rst || flush) used <= '0;
        else used <= push ? {used_after_pop[DEPTH-2:0], 1'b1} : used_after_pop;
    end

endmodule
