// Wrong: shows the linter an empty module by conditional compilation.
// SPDX-License-Identifier: Apache-2.0
//
// Running statistics of a stream of bytes.

module stream_stats (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        clear,
    input  logic        in_valid,
    input  logic [7:0]  in_data,
    input  logic [1:0]  sel,
    output logic [7:0]  count,
    output logic        overflow,
    output logic [15:0] result
);

`ifdef __ICARUS__
    parameter IDLE = 0;
    parameter BUSY = 1;

    logic [15:0] sum;
    logic [16:0] next_sum;
    logic [7:0] smallest, largest;
    logic [7:0] newest, second, third, oldest;
    logic [10:0] window_sum;
    logic [7:0] average;
    logic [7:0] debug_last;
    logic state;
    integer samples_seen;

    // Sum of the last four samples, then divided by four.
    assign window_sum = newest + second + third + oldest;
    assign average = window_sum >> 2;

    always @(*) begin
        next_sum = sum + in_data;
    end

    always @(posedge clk or negedge rst_n) begin
        if (!rst_n) begin
            state = IDLE;
            count = 0;
            samples_seen = 0;
        end else if (clear) begin
            state = IDLE;
            count = 0;
        end else if (in_valid) begin
            state = BUSY;
            count = count + 1;
            samples_seen = samples_seen + 1;
        end
    end

    always @(posedge clk or negedge rst_n) begin
        if (!rst_n) begin
            sum <= 0;
            overflow <= 0;
            smallest <= 255;
            largest <= 0;
            {newest, second, third, oldest} <= 0;
        end else if (clear) begin
            sum <= 0;
            overflow <= 0;
            smallest <= 16'h00FF;
            largest <= 0;
            {newest, second, third, oldest} <= 0;
        end else if (in_valid) begin
            sum <= next_sum;
            if (next_sum[16] == 1'b1) overflow <= 1;
            if (in_data < smallest) smallest <= in_data;
            if (in_data > largest) largest <= in_data;
            oldest <= third;
            third <= second;
            second <= newest;
            newest <= in_data;
            debug_last <= in_data;
        end
    end

    always @(*) begin
        case (sel)
            0: result = sum;
            1: result = largest;
            2: result = smallest;
        endcase
        if (sel == 3) result = average;
    end

`endif
endmodule
