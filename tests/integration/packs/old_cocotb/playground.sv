// Enough of everything that the tests touch: scalars, vectors, arrays, parameters, and time.
`ifdef WITH_FLAG
  `define FLAG 1
`else
  `define FLAG 0
`endif
module playground #(
    parameter int WIDTH = 8,
    parameter int DEPTH = 4
) (
    input  logic                clk,
    input  logic                rst_n,
    input  logic                valid,
    input  logic [WIDTH-1:0]    a,
    input  logic [WIDTH-1:0]    b,
    input  logic [63:0]         wide,
    output logic                ready,
    output logic [WIDTH-1:0]    sum,
    output logic [WIDTH-1:0]    count,
    output logic                done,
    output logic [WIDTH-1:0]    comb,
    output logic                flag,
    output logic [63:0]         wide_out,
    output logic [WIDTH-1:0]    never_set,
    output logic                never_set_bit
);
    localparam int    LOWEST = -3;
    logic [WIDTH-1:0] mem [0:DEPTH-1];
    integer           number = 0;
    real              analog = 0.0;

    assign comb = a ^ b;
    assign flag = `FLAG;
    assign wide_out = wide;
    assign ready = rst_n;
    assign done = count == 8'd5;

    always_ff @(posedge clk or negedge rst_n) begin
        if (!rst_n) begin
            sum   <= '0;
            count <= '0;
        end else begin
            count <= count + 1'b1;
            if (valid) begin
                sum <= a + b;
                mem[0] <= a;
            end
        end
    end
endmodule
