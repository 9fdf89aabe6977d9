// SPDX-License-Identifier: Apache-2.0

module rob8 (
    input  logic        clk,
    input  logic        rst,
    input  logic        alloc_valid,
    input  logic [4:0]  alloc_rd,
    output logic        alloc_ready,
    output logic [2:0]  alloc_tag,
    input  logic        done_valid,
    input  logic [2:0]  done_tag,
    input  logic [31:0] done_value,
    input  logic        done_fault,
    output logic        commit_valid,
    output logic [4:0]  commit_rd,
    output logic [31:0] commit_value,
    output logic        commit_fault,
    input  logic [4:0]  find_rs,
    output logic        find_hit,
    output logic        find_done,
    output logic [2:0]  find_tag,
    output logic [31:0] find_value
);

    logic [7:0] used_q, finished_q, fault_q;
    logic [4:0] rds[8];
    logic [31:0] values[8];
    logic [2:0] head_q, tail_q;

    assign alloc_ready = used_q != 8'hFF;
    assign alloc_tag = tail_q;

    // The oldest entry; an entry that is not in use is never finished.
    assign commit_valid = finished_q[head_q] && !fault_q[head_q];
    assign commit_fault = finished_q[head_q] && fault_q[head_q];
    assign commit_rd = rds[head_q];
    assign commit_value = values[head_q];

    // From the oldest to the youngest: the last match counts.
    logic [2:0] number;
    always_comb begin
        find_hit = 1'b0;
        find_tag = 3'd0;
        number = head_q;
        for (int i = 0; i < 8; i++) begin
            if (used_q[number] && rds[number] == find_rs && find_rs != 5'd0) begin
                find_hit = 1'b1;
                find_tag = number;
            end
            number = number + 3'd1;
        end
    end
    assign find_done = find_hit && finished_q[find_tag];
    assign find_value = values[find_tag];

    always_ff @(posedge clk) begin
        if (done_valid && used_q[done_tag] && !finished_q[done_tag]) begin
            finished_q[done_tag] <= 1'b1;
            fault_q[done_tag] <= done_fault;
            values[done_tag] <= done_value;
        end
        if (commit_valid) begin
            used_q[head_q] <= 1'b0;
            finished_q[head_q] <= 1'b0;
            head_q <= head_q + 3'd1;
        end
        if (alloc_valid && alloc_ready) begin
            used_q[tail_q] <= 1'b1;
            rds[tail_q] <= alloc_rd;
            tail_q <= tail_q + 3'd1;
        end
        if (rst || commit_fault) begin
            used_q <= '0;
            finished_q <= '0;
            head_q <= '0;
            tail_q <= '0;
        end
    end

endmodule
