// Wrong: almost_full comes up when fewer than MARGIN places are free.
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

    localparam int PW = $clog2(DEPTH);
    localparam int CW = $clog2(DEPTH + 1);
    // The integer parameters in the width of what they are compared with.
    localparam logic [PW-1:0] LAST = PW'(DEPTH - 1);
    localparam logic [CW-1:0] CAPACITY = CW'(DEPTH);
    localparam logic [CW-1:0] HIGH_MARK = CW'(DEPTH - MARGIN);

    logic [WIDTH-1:0] words [0:DEPTH-1];
    logic [PW-1:0] head, tail;
    logic [CW-1:0] count;
    logic push, pop;

    assign m_valid = count != '0;
    assign m_data = words[head];
    assign pop = m_valid && m_ready;
    // A full FIFO takes a word if one leaves at the same edge.
    assign s_ready = (count != CAPACITY || pop) && !flush;
    assign push = s_valid && s_ready;
    assign almost_full = count > HIGH_MARK;

    always_ff @(posedge clk) begin
        if (push) words[tail] <= s_data;
    end

    always_ff @(posedge clk) begin
        if (rst || flush) begin
            head <= '0;
            tail <= '0;
            count <= '0;
        end else begin
            if (push) tail <= (tail == LAST) ? '0 : tail + 1'b1;
            if (pop) head <= (head == LAST) ? '0 : head + 1'b1;
            if (push && !pop) count <= count + 1'b1;
            if (pop && !push) count <= count - 1'b1;
        end
    end

endmodule
