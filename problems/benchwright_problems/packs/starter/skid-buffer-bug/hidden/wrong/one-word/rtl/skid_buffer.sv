// Wrong: holds a single word, so it takes one only every other cycle.
// SPDX-License-Identifier: Apache-2.0

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

    assign s_ready = !m_valid;

    always_ff @(posedge clk) begin
        if (rst) m_valid <= 1'b0;
        else if (!m_valid) begin
            m_valid <= s_valid;
            m_data <= s_data;
        end else if (m_ready) m_valid <= 1'b0;
    end

endmodule
