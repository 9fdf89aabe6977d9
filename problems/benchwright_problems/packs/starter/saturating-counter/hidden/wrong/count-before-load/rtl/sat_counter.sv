// Wrong: counting wins over load.
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

    assign at_max = &count;
    assign at_min = ~|count;

    always_ff @(posedge clk) begin
        if (!rst_n) count <= '0;
        else if (load && !up && !down) count <= load_value;
        else if (up && !down && !at_max) count <= count + 1'b1;
        else if (down && !up && !at_min) count <= count - 1'b1;
    end

endmodule
