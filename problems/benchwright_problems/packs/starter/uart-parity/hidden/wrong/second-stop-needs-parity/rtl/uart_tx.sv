// Wrong: two stop bits only in frames with parity.
// SPDX-License-Identifier: Apache-2.0
//
// UART transmitter: 8 data bits, parity none/even/odd/mark, one or two stop bits.

module uart_tx #(
    parameter int CLKS_PER_BIT = 16
) (
    input  logic       clk,
    input  logic       rst,
    input  logic       tx_valid,
    input  logic [7:0] tx_data,
    input  logic [1:0] parity_mode,
    input  logic       two_stop,
    output logic       tx_ready,
    output logic       txd
);

    localparam int CW = $clog2(CLKS_PER_BIT);
    localparam int LAST = CLKS_PER_BIT - 1;
    localparam logic [CW-1:0] LAST_CLK = LAST[CW-1:0];

    // START, eight times DATA, PARITY if wanted, STOP once or twice.
    typedef enum logic [2:0] {IDLE, START, DATA, PARITY, STOP} state_t;

    state_t state;
    logic [CW-1:0] clk_count;
    logic [2:0] bit_count;
    logic [7:0] shift;
    logic has_parity, parity_bit, extra_stop;
    logic bit_ends;

    assign bit_ends = clk_count == LAST_CLK;
    assign tx_ready = state == IDLE;

    always_comb begin
        case (state)
            START: txd = 1'b0;
            DATA: txd = shift[0];
            PARITY: txd = parity_bit;
            default: txd = 1'b1;
        endcase
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            state <= IDLE;
            clk_count <= '0;
            bit_count <= '0;
            shift <= '0;
            has_parity <= 1'b0;
            parity_bit <= 1'b0;
            extra_stop <= 1'b0;
        end else if (state == IDLE) begin
            if (tx_valid) begin
                state <= START;
                shift <= tx_data;
                has_parity <= parity_mode != 2'd0;
                parity_bit <= (parity_mode == 2'd3) | (^tx_data ^ parity_mode[1]);
                extra_stop <= two_stop && parity_mode != 2'd0;
            end
        end else if (!bit_ends) begin
            clk_count <= clk_count + 1'b1;
        end else begin
            clk_count <= '0;
            case (state)
                START: state <= DATA;
                DATA: begin
                    shift <= {1'b0, shift[7:1]};
                    bit_count <= bit_count + 1'b1;
                    if (bit_count == 3'd7) begin
                        if (has_parity) state <= PARITY;
                        else state <= STOP;
                    end
                end
                PARITY: state <= STOP;
                default: begin
                    extra_stop <= 1'b0;
                    if (!extra_stop) state <= IDLE;
                end
            endcase
        end
    end

endmodule
