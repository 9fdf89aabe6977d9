// Wrong: overflow is no longer kept until clear.
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

    logic [15:0] sum;
    logic [16:0] next_sum;
    logic [7:0] smallest, largest;
    logic [7:0] newest, second, third, oldest;
    logic [9:0] window_sum;

    // Two more bits than a sample hold the sum of four.
    assign window_sum = {2'b00, newest} + {2'b00, second} + {2'b00, third} + {2'b00, oldest};
    assign next_sum = {1'b0, sum} + {9'b0, in_data};

    always_ff @(posedge clk or negedge rst_n) begin
        if (!rst_n) begin
            count <= 8'd0;
            sum <= 16'd0;
            overflow <= 1'b0;
            smallest <= 8'hFF;
            largest <= 8'h00;
            {newest, second, third, oldest} <= 32'd0;
        end else if (clear) begin
            count <= 8'd0;
            sum <= 16'd0;
            overflow <= 1'b0;
            smallest <= 8'hFF;
            largest <= 8'h00;
            {newest, second, third, oldest} <= 32'd0;
        end else if (in_valid) begin
            count <= count + 8'd1;
            sum <= next_sum[15:0];
            overflow <= next_sum[16];
            if (in_data < smallest) smallest <= in_data;
            if (in_data > largest) largest <= in_data;
            oldest <= third;
            third <= second;
            second <= newest;
            newest <= in_data;
        end
    end

    always_comb begin
        case (sel)
            2'd0: result = sum;
            2'd1: result = {8'd0, largest};
            2'd2: result = {8'd0, smallest};
            default: result = {6'd0, window_sum >> 2};
        endcase
    end

endmodule
