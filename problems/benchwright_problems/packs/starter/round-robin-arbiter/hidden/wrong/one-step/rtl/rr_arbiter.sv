// Wrong: first in line moves by one place instead of to the one after the granted.
// SPDX-License-Identifier: Apache-2.0

module rr_arbiter #(
    parameter int N = 4
) (
    input  logic         clk,
    input  logic         rst_n,
    input  logic [N-1:0] req,
    input  logic         accept,
    output logic [N-1:0] grant,
    output logic         grant_valid
);

    localparam logic [N-1:0] REQUESTER_0 = {{(N - 1){1'b0}}, 1'b1};

    // One-hot: the requester that is first in line.
    logic [N-1:0] first_q, first_next;

    always_ff @(posedge clk or negedge rst_n) begin
        if (!rst_n) first_q <= REQUESTER_0;
        else first_q <= first_next;
    end

    assign grant_valid = |req;

    // Written twice side by side, the requests need no wrap: subtracting the first in line
    // borrows through the zeros above it up to the first request, which is the one that flips.
    logic [2*N-1:0] req_twice, grant_twice;

    assign req_twice = {req, req};
    assign grant_twice = req_twice & ~(req_twice - {{N{1'b0}}, first_q});
    assign grant = grant_twice[2*N-1:N] | grant_twice[N-1:0];

    assign first_next = (grant_valid && accept) ? {first_q[N-2:0], first_q[N-1]} : first_q;

endmodule
