// Wrong: the order is that of a circle, and not by when each was granted last.
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

    // ahead[i*N + j] is 1 if requester i goes before requester j. Of two, exactly one goes before the other;
    // the bits with i = j are always 0.
    logic [N*N-1:0] ahead;
    logic [N-1:0] winner, owner;

    for (genvar i = 0; i < N; i = i + 1) begin : g_requester
        logic [N-1:0] beaten_by;
        for (genvar j = 0; j < N; j = j + 1) begin : g_rival
            assign beaten_by[j] = req[j] && ahead[j*N+i];
        end
        assign winner[i] = req[i] && beaten_by == '0;
    end

    assign grant = busy ? owner : winner;

    always_ff @(posedge clk) begin
        if (rst) begin
            busy <= 1'b0;
            for (int i = 0; i < N; i = i + 1) begin
                for (int j = 0; j < N; j = j + 1) ahead[i*N+j] <= i < j;
            end
        end else begin
            owner <= grant;
            busy <= hold && grant != '0;
            // Whoever is granted goes behind all others.
            for (int i = 0; i < N; i = i + 1) begin
                for (int j = 0; j < N; j = j + 1) begin
                    for (int k = 0; k < N; k = k + 1)
                        if (grant[k]) ahead[i*N+j] <= (i + N - k - 1) % N < (j + N - k - 1) % N;
                end
            end
        end
    end

endmodule
