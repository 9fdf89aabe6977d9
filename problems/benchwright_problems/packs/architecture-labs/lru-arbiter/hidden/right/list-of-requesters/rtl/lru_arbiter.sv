// Right as well: the order is kept as a list of numbers; who was granted moves to its end.
// SPDX-License-Identifier: Apache-2.0

module lru_arbiter #(
    parameter int N = 4
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [N-1:0] req,
    input  logic         hold,
    output logic [N-1:0] grant,
    output logic         busy
);

    localparam int NW = $clog2(N);

    logic [NW-1:0] line [0:N-1];
    logic [NW-1:0] place, chosen, owner;
    logic any;

    // The last one that is found while walking to the front is the first in line.
    always_comb begin
        any = 1'b0;
        place = '0;
        chosen = '0;
        for (int i = N - 1; i >= 0; i = i - 1) begin
            if (busy ? line[i] == owner : req[line[i]]) begin
                any = 1'b1;
                place = i[NW-1:0];
                chosen = line[i];
            end
        end
        grant = '0;
        if (any) grant[chosen] = 1'b1;
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            busy <= 1'b0;
            for (int i = 0; i < N; i = i + 1) line[i] <= i[NW-1:0];
        end else begin
            busy <= any && hold;
            owner <= chosen;
            if (any) begin
                for (int i = 0; i < N - 1; i = i + 1) if (i[NW-1:0] >= place) line[i] <= line[i+1];
                line[N-1] <= chosen;
            end
        end
    end

endmodule
