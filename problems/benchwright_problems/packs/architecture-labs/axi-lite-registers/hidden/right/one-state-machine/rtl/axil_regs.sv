// Another way: one state machine serves a write or a read at a time, takes address and data together, and lets ready follow valid.
// SPDX-License-Identifier: Apache-2.0

module axil_regs (
    input  logic        aclk,
    input  logic        aresetn,
    input  logic        awvalid,
    output logic        awready,
    input  logic [7:0]  awaddr,
    input  logic        wvalid,
    output logic        wready,
    input  logic [31:0] wdata,
    input  logic [3:0]  wstrb,
    output logic        bvalid,
    input  logic        bready,
    output logic [1:0]  bresp,
    input  logic        arvalid,
    output logic        arready,
    input  logic [7:0]  araddr,
    output logic        rvalid,
    input  logic        rready,
    output logic [31:0] rdata,
    output logic [1:0]  rresp,
    input  logic [3:0]  event_in,
    output logic        start,
    output logic        irq
);

    typedef enum logic [1:0] {IDLE, WRITTEN, ASKED, ANSWERED} state_t;
    state_t state;
    logic [31:0] regs[5];
    logic [31:0] next_regs[5];
    logic [5:0] asked;
    logic [31:0] answer;
    logic read_turn, pulse;

    logic takes_write, takes_read;
    assign takes_write = aresetn && state == IDLE && awvalid && wvalid && !(arvalid && read_turn);
    assign takes_read = aresetn && state == IDLE && arvalid && !takes_write;
    assign {awready, wready} = {2{takes_write}};
    assign arready = takes_read;
    assign bvalid = state == WRITTEN;
    assign rvalid = state == ANSWERED;
    assign start = pulse;
    assign irq = (regs[2][3:0] & regs[3][3:0]) != 4'd0;

    always_comb begin
        for (int r = 0; r < 5; r++) next_regs[r] = regs[r];
        if (takes_write)
            for (int lane = 0; lane < 4; lane++)
                if (wstrb[lane])
                    case (awaddr[7:2])
                        6'd0: next_regs[0][8*lane +: 8] = wdata[8*lane +: 8];
                        6'd1: if (lane == 0) next_regs[1][0] = wdata[0];
                        6'd2: if (lane == 0) next_regs[2][3:0] = regs[2][3:0] & ~wdata[3:0];
                        6'd3: if (lane == 0) next_regs[3][3:0] = wdata[3:0];
                        default: ;
                    endcase
        next_regs[2][3:0] = next_regs[2][3:0] | event_in;
        next_regs[4] = regs[4] + {31'd0, regs[1][0]};
    end

    always_comb begin
        answer = '0;
        for (int r = 0; r < 5; r++) if (asked == r[5:0]) answer = regs[r];
    end

    always_ff @(posedge aclk) begin
        for (int r = 0; r < 5; r++) regs[r] <= aresetn ? next_regs[r] : 32'd0;
        pulse <= aresetn && takes_write && awaddr[7:2] == 6'd1 && wdata[31] && wstrb[3];
        if (!aresetn) begin
            state <= IDLE;
            read_turn <= 1'b0;
        end else case (state)
            IDLE: begin
                if (takes_write) begin
                    state <= WRITTEN;
                    bresp <= awaddr[7:4] == 4'd0 ? 2'd0 : 2'd2;
                    read_turn <= 1'b1;
                end else if (takes_read) begin
                    state <= ASKED;
                    asked <= araddr[7:2];
                    read_turn <= 1'b0;
                end
            end
            WRITTEN: if (bready) state <= IDLE;
            ASKED: begin
                state <= ANSWERED;
                rdata <= answer;
                rresp <= asked > 6'd4 ? 2'd2 : 2'd0;
            end
            default: if (rready) state <= IDLE;
        endcase
    end

endmodule
