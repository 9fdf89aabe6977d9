// Right as well: no state machine; the last five bits are kept and compared with the whole pattern.
// SPDX-License-Identifier: Apache-2.0

module frame_detector (
    input  logic       clk,
    input  logic       rst_n,
    input  logic       valid,
    input  logic       bit_in,
    input  logic       lock,
    output logic       match,
    output logic [2:0] progress,
    output logic [7:0] count
);

    // The newest bit is bit 0; `seen` says how many bits are there at all.
    logic [4:0] window, after;
    logic [2:0] seen, seen_after;

    function automatic logic [2:0] longest(input logic [4:0] bits, input logic [2:0] length);
        if (length >= 3'd5 && bits == 5'b11010) return 3'd5;
        if (length >= 3'd4 && bits[3:0] == 4'b1101) return 3'd4;
        if (length >= 3'd3 && bits[2:0] == 3'b110) return 3'd3;
        if (length >= 3'd2 && bits[1:0] == 2'b11) return 3'd2;
        if (length >= 3'd1 && bits[0]) return 3'd1;
        return 3'd0;
    endfunction

    assign after = {window[3:0], bit_in};
    assign seen_after = (seen == 3'd5) ? 3'd5 : seen + 3'd1;
    assign progress = longest(window, seen);

    always_ff @(posedge clk or negedge rst_n) begin
        if (!rst_n) begin
            window <= '0;
            seen <= '0;
            match <= 1'b0;
            count <= '0;
        end else if (!valid) begin
            match <= 1'b0;
        end else begin
            window <= after;
            seen <= seen_after;
            match <= longest(after, seen_after) == 3'd5;
            if (!lock && longest(after, seen_after) == 3'd5) count <= (&count) ? count : count + 8'd1;
        end
    end

endmodule
