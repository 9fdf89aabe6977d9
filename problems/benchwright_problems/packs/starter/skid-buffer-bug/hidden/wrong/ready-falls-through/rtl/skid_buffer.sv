// Wrong: passes m_ready on to s_ready within the cycle, the path the buffer is there to break.
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

    assign s_ready = m_ready || !m_valid;

    always_ff @(posedge clk) begin
        if (rst) m_valid <= 1'b0;
        else if (s_ready) begin
            m_valid <= s_valid;
            m_data <= s_data;
        end
    end

endmodule
