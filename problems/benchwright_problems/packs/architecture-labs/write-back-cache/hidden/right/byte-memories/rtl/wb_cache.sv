// Another way: eight byte memories instead of merged lines, and the line that leaves is copied into registers at the miss.
// SPDX-License-Identifier: Apache-2.0

module wb_cache #(
    parameter int SETS = 4
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        req,
    input  logic        we,
    input  logic [15:0] addr,
    input  logic [31:0] wdata,
    input  logic [3:0]  wstrb,
    output logic        stall,
    output logic [31:0] rdata,
    input  logic        clean,
    output logic        clean_done,
    output logic        mem_req,
    output logic        mem_we,
    output logic [15:0] mem_addr,
    output logic [63:0] mem_wdata,
    input  logic        mem_ack,
    input  logic [63:0] mem_rdata
);

    localparam int INDEX_BITS = $clog2(SETS);

    logic writing_q, fetching_q, chained_q;
    logic [12:0] out_line_q, in_line_q;
    logic [63:0] out_data_q;
    logic [INDEX_BITS-1:0] index, out_index, in_index, entry, first_dirty;
    logic [12:0] held_line[SETS];
    logic [SETS-1:0] full_q, dirty_q, lowest;
    logic [63:0] read_line;
    logic [7:0] byte_write;
    logic [63:0] write_line;
    logic idle, here, store_hit, fill;

    assign idle = !writing_q && !fetching_q;
    assign index = addr[3 +: INDEX_BITS];
    assign out_index = out_line_q[INDEX_BITS-1:0];
    assign in_index = in_line_q[INDEX_BITS-1:0];
    assign here = full_q[index] && held_line[index] == addr[15:3];
    assign stall = req && (!idle || clean || !here);
    assign store_hit = req && we && !stall;
    assign fill = fetching_q && mem_ack;

    assign lowest = dirty_q & (~dirty_q + 1'b1);
    always_comb begin
        first_dirty = '0;
        for (int i = 0; i < SETS; i++) if (lowest[i]) first_dirty = first_dirty | i[INDEX_BITS-1:0];
    end

    // The one port of the data: what is read, or written, at `entry`.
    assign entry = fill ? in_index : (clean && idle) ? first_dirty : index;
    assign write_line = fill ? mem_rdata : {wdata, wdata};
    assign byte_write = fill ? 8'hFF : store_hit ? (addr[2] ? {wstrb, 4'h0} : {4'h0, wstrb}) : 8'h00;

    genvar lane;
    generate
        for (lane = 0; lane < 8; lane = lane + 1) begin : lanes
            logic [7:0] bytes[SETS];
            assign read_line[8*lane +: 8] = bytes[entry];
            always_ff @(posedge clk) if (byte_write[lane]) bytes[entry] <= write_line[8*lane +: 8];
        end
    endgenerate

    assign rdata = addr[2] ? read_line[63:32] : read_line[31:0];
    assign clean_done = idle && clean && !(|dirty_q);
    assign mem_req = writing_q || fetching_q;
    assign mem_we = writing_q;
    assign mem_addr = {writing_q ? out_line_q : in_line_q, 3'd0};
    assign mem_wdata = out_data_q;

    always_ff @(posedge clk) begin
        if (rst) begin
            {writing_q, fetching_q} <= 2'b00;
            full_q <= '0;
            dirty_q <= '0;
        end else if (writing_q) begin
            if (mem_ack) begin
                writing_q <= 1'b0;
                fetching_q <= chained_q;
                dirty_q[out_index] <= 1'b0;
            end
        end else if (fetching_q) begin
            if (mem_ack) begin
                fetching_q <= 1'b0;
                full_q[in_index] <= 1'b1;
                held_line[in_index] <= in_line_q;
            end
        end else begin
            out_line_q <= held_line[entry];
            out_data_q <= read_line;
            in_line_q <= addr[15:3];
            chained_q <= !clean;
            if (clean) writing_q <= |dirty_q;
            else if (stall) begin
                writing_q <= dirty_q[index];
                fetching_q <= !dirty_q[index];
            end else if (store_hit && (|wstrb)) dirty_q[index] <= 1'b1;
        end
    end

endmodule
