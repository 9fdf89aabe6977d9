// Wrong: only the first fault is repaired: the waiting word survives a reset.
// SPDX-License-Identifier: Apache-2.0
//
// Skid buffer: registers both directions of a valid/ready link without losing throughput.

module skid_buffer #(
    parameter int WIDTH = 8
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             s_valid,
    output logic             s_ready,
    input  logic [WIDTH-1:0] s_data,
    output logic             m_valid,
    input  logic             m_ready,
    output logic [WIDTH-1:0] m_data
);

    // A word waits here if it came while the output was occupied.
    logic skid_valid = 1'b0;
    logic [WIDTH-1:0] skid_data;

    assign s_ready = !skid_valid;

    always_ff @(posedge clk) begin
        if (rst) begin
            m_valid <= 1'b0;
        end else if (m_ready || !m_valid) begin
            // The output is free: refill it, with the word that waits before any other.
            m_valid <= s_valid || skid_valid;
            m_data <= skid_valid ? skid_data : s_data;
            skid_valid <= 1'b0;
        end else if (s_valid && s_ready) begin
            // The output is occupied: put the word aside.
            skid_valid <= 1'b1;
            skid_data <= s_data;
        end
    end

endmodule
