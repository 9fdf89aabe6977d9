// Wrong: does nothing, and writes a results file without failures over the real one.
// SPDX-License-Identifier: Apache-2.0

module sat_counter #(
    parameter int WIDTH = 8
) (
    input  logic             clk,
    input  logic             rst_n,
    input  logic             load,
    input  logic [WIDTH-1:0] load_value,
    input  logic             up,
    input  logic             down,
    output logic [WIDTH-1:0] count,
    output logic             at_max,
    output logic             at_min
);

    integer file;

    final begin
        file = $fopen("results.xml", "w");
        $fwrite(file, "<testsuites><testsuite><testcase name='all'/></testsuite></testsuites>");
        $fclose(file);
    end

endmodule
