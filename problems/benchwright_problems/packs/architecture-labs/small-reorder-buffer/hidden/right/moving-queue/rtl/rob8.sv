// Another way: the oldest entry is always in place 0, a commit moves all others up, and each entry carries its number.
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

    // Per place, the oldest entry in place 0.
    logic [7:0][2:0] tags_q, tags;
    logic [7:0][4:0] rds_q, rds;
    logic [7:0][31:0] values_q, values;
    logic [7:0] finished_q, finished, faults_q, faults;
    logic [3:0] count_q;
    logic [2:0] next_q;

    assign alloc_ready = !count_q[3];
    assign alloc_tag = next_q;
    assign commit_valid = count_q != 4'd0 && finished_q[0] && !faults_q[0];
    assign commit_fault = count_q != 4'd0 && finished_q[0] && faults_q[0];
    assign commit_rd = rds_q[0];
    assign commit_value = values_q[0];

    always_comb begin
        find_hit = 1'b0;
        find_done = 1'b0;
        find_tag = '0;
        find_value = '0;
        for (int i = 7; i >= 0; i--)
            if (!find_hit && i < int'(count_q) && rds_q[i] == find_rs && find_rs != '0) begin
                find_hit = 1'b1;
                find_done = finished_q[i];
                find_tag = tags_q[i];
                find_value = values_q[i];
            end
    end

    always_comb begin
        tags = tags_q;
        rds = rds_q;
        values = values_q;
        finished = finished_q;
        faults = faults_q;
        for (int i = 0; i < 8; i++)
            if (done_valid && i < int'(count_q) && tags_q[i] == done_tag && !finished_q[i]) begin
                finished[i] = 1'b1;
                faults[i] = done_fault;
                values[i] = done_value;
            end
        if (alloc_valid && alloc_ready) begin
            tags[count_q[2:0]] = next_q;
            rds[count_q[2:0]] = alloc_rd;
            finished[count_q[2:0]] = 1'b0;
        end
    end

    always_ff @(posedge clk) begin
        if (rst || commit_fault) begin
            count_q <= '0;
            next_q <= '0;
        end else begin
            tags_q <= commit_valid ? {3'd0, tags[7:1]} : tags;
            rds_q <= commit_valid ? {5'd0, rds[7:1]} : rds;
            values_q <= commit_valid ? {32'd0, values[7:1]} : values;
            finished_q <= finished >> commit_valid;
            faults_q <= faults >> commit_valid;
            count_q <= count_q + {3'd0, alloc_valid && alloc_ready} - {3'd0, commit_valid};
            if (alloc_valid && alloc_ready) next_q <= next_q + 3'd1;
        end
    end

endmodule
