// SPDX-License-Identifier: Apache-2.0
//
// Sends 1, 2, 3, ... through the skid buffer while the consumer stalls now and then, and checks that
// the same numbers come out.

`timescale 1ns / 1ns

module tb_skid_buffer;

    localparam int WORDS = 20;

    logic clk = 1'b0;
    logic rst = 1'b1;
    logic s_valid, s_ready, m_valid, m_ready;
    logic [7:0] s_data, m_data;

    int cycle = 0;
    int wanted = 1;
    int errors = 0;

    skid_buffer #(.WIDTH(8)) dut (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
    );

    always #5 clk = !clk;

    // The producer always offers the next number.
    assign s_valid = !rst;
    always @(posedge clk) begin
        if (rst) s_data <= 8'd1;
        else if (s_valid && s_ready) s_data <= s_data + 8'd1;
    end

    // The consumer stalls for three cycles out of eight.
    assign m_ready = (cycle % 8) < 5;

    always @(posedge clk) begin
        cycle <= cycle + 1;
        if (!rst && m_valid && m_ready) begin
            if (m_data != wanted[7:0]) begin
                errors = errors + 1;
                $display("%0t ns: got word %0d, expected %0d", $time, m_data, wanted);
            end
            wanted <= wanted + 1;
        end
    end

    initial begin
        repeat (2) @(negedge clk);
        rst = 1'b0;
        while (wanted <= WORDS && cycle < 10 * WORDS) @(negedge clk);
        if (errors == 0 && wanted > WORDS) $display("PASS");
        else $display("FAIL: %0d of %0d words were wrong", errors, wanted - 1);
        $finish;
    end

endmodule
