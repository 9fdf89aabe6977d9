// Another way: each entry is an instance that compares its own line number, and all entries are ORed together; states are an enumeration.
// SPDX-License-Identifier: Apache-2.0

module direct_cache #(
    parameter int SETS  = 8,
    parameter int WORDS = 4
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                req,
    input  logic [15:0]         addr,
    output logic                stall,
    output logic [31:0]         rdata,
    input  logic                flush,
    output logic                mem_req,
    output logic [15:0]         mem_addr,
    input  logic                mem_valid,
    input  logic [32*WORDS-1:0] mem_data
);

    localparam int OFFSET_BITS = $clog2(WORDS) + 2;
    localparam int INDEX_BITS = $clog2(SETS);
    localparam int LINE_BITS = 16 - OFFSET_BITS;

    typedef enum logic [1:0] {IDLE, FETCH, FETCH_AND_DROP} state_t;
    state_t state_q;
    logic [LINE_BITS-1:0] wanted_q;

    logic [SETS-1:0] found;
    logic [32*WORDS-1:0] contributions[SETS];
    logic delivered;
    assign delivered = state_q == FETCH && mem_valid && !flush;

    genvar number;
    generate
        for (number = 0; number < SETS; number = number + 1) begin : entries
            entry #(.LINE_BITS(LINE_BITS), .WORDS(WORDS)) slot (
                .clk(clk),
                .clear(rst || flush || (state_q == FETCH_AND_DROP && mem_valid && wanted_q[INDEX_BITS-1:0] == number)),
                .load(delivered && wanted_q[INDEX_BITS-1:0] == number),
                .new_line(wanted_q), .new_data(mem_data),
                .line(addr[15:OFFSET_BITS]), .match(found[number]), .contribution(contributions[number])
            );
        end
    endgenerate

    logic [32*WORDS-1:0] merged;
    always_comb begin
        merged = '0;
        for (int i = 0; i < SETS; i++) merged = merged | contributions[i];
    end

    assign rdata = merged[{addr[OFFSET_BITS-1:2], 5'b0} +: 32];
    assign stall = req && (state_q != IDLE || found == '0);
    assign mem_req = state_q != IDLE;
    assign mem_addr = 16'(wanted_q) << OFFSET_BITS;

    always_ff @(posedge clk) begin
        if (rst) state_q <= IDLE;
        else case (state_q)
            IDLE: if (stall) begin
                state_q <= FETCH;
                wanted_q <= addr[15:OFFSET_BITS];
            end
            FETCH: if (mem_valid) state_q <= IDLE;
                   else if (flush) state_q <= FETCH_AND_DROP;
            default: if (mem_valid) state_q <= IDLE;
        endcase
    end

endmodule

module entry #(
    parameter int LINE_BITS = 12,
    parameter int WORDS = 4
) (
    input  logic                 clk, clear, load,
    input  logic [LINE_BITS-1:0] new_line,
    input  logic [32*WORDS-1:0]  new_data,
    input  logic [LINE_BITS-1:0] line,
    output logic                 match,
    output logic [32*WORDS-1:0]  contribution
);
    logic present_q;
    logic [LINE_BITS-1:0] line_q;
    logic [32*WORDS-1:0] data_q;

    assign match = present_q && line_q == line;
    assign contribution = match ? data_q : '0;

    always_ff @(posedge clk) begin
        if (clear) present_q <= 1'b0;
        else if (load) begin
            present_q <= 1'b1;
            line_q <= new_line;
            data_q <= new_data;
        end
    end
endmodule
