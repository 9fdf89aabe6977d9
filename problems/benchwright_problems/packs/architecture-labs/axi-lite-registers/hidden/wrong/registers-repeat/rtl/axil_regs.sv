// Wrong: only five bits of the address are decoded.
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

    localparam logic [5:0] SCRATCH = 6'h00, CONTROL = 6'h01, STATUS = 6'h02, MASK = 6'h03, COUNT = 6'h04;
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

    logic [31:0] scratch_q, count_q;
    logic enable_q;
    logic [3:0] status_q, mask_q;

    // What has come of a write.
    logic have_address_q, have_data_q;
    logic [5:0] address_q;
    logic [31:0] data_q;
    logic [3:0] strobes_q;

    assign awready = !have_address_q;
    assign wready = !have_data_q;

    logic writes;
    assign writes = have_address_q && have_data_q && !bvalid;

    // The written bits, and those that are written as 1.
    logic [31:0] bits, ones;
    assign bits = {{8{strobes_q[3]}}, {8{strobes_q[2]}}, {8{strobes_q[1]}}, {8{strobes_q[0]}}};
    assign ones = data_q & bits;

    logic [3:0] cleared;
    assign cleared = (writes && address_q == STATUS) ? ones[3:0] : 4'b0000;

    always_ff @(posedge aclk) begin
        if (awvalid && awready) begin
            have_address_q <= 1'b1;
            address_q <= awaddr[7:2];
        end
        if (wvalid && wready) begin
            have_data_q <= 1'b1;
            data_q <= wdata;
            strobes_q <= wstrb;
        end
        start <= 1'b0;
        if (writes) begin
            bvalid <= 1'b1;
            bresp <= address_q[2:0] < 3'd4 ? OKAY : SLVERR;
            case ({3'd0, address_q[2:0]})
                SCRATCH: scratch_q <= (scratch_q & ~bits) | ones;
                CONTROL: begin
                    if (strobes_q[0]) enable_q <= data_q[0];
                    start <= ones[31];
                end
                MASK: if (strobes_q[0]) mask_q <= data_q[3:0];
                default: ;
            endcase
        end
        if (bvalid && bready) begin
            bvalid <= 1'b0;
            have_address_q <= 1'b0;
            have_data_q <= 1'b0;
        end
        status_q <= (status_q & ~cleared) | event_in;
        if (enable_q) count_q <= count_q + 32'd1;
        if (!aresetn) begin
            have_address_q <= 1'b0;
            have_data_q <= 1'b0;
            bvalid <= 1'b0;
            start <= 1'b0;
            scratch_q <= '0;
            enable_q <= 1'b0;
            status_q <= '0;
            mask_q <= '0;
            count_q <= '0;
        end
    end

    assign irq = |(status_q & mask_q);

    assign arready = !rvalid;
    always_ff @(posedge aclk) begin
        if (arvalid && arready) begin
            rvalid <= 1'b1;
            rresp <= araddr[7:2] <= COUNT ? OKAY : SLVERR;
            case (araddr[7:2])
                SCRATCH: rdata <= scratch_q;
                CONTROL: rdata <= {31'd0, enable_q};
                STATUS: rdata <= {28'd0, status_q};
                MASK: rdata <= {28'd0, mask_q};
                COUNT: rdata <= count_q;
                default: rdata <= '0;
            endcase
        end else if (rready) rvalid <= 1'b0;
        if (!aresetn) rvalid <= 1'b0;
    end

endmodule
