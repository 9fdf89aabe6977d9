// Another way: the order of use is a matrix of bits, one for each pair of ways, and each set is an instance.
// SPDX-License-Identifier: Apache-2.0

module lru_cache #(
    parameter int SETS = 4,
    parameter int WAYS = 4
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        req,
    input  logic [15:0] addr,
    output logic        stall,
    output logic [31:0] rdata,
    output logic [2:0]  way,
    input  logic        inv,
    input  logic [15:0] inv_addr,
    output logic        mem_req,
    output logic [15:0] mem_addr,
    input  logic        mem_valid,
    input  logic [63:0] mem_data
);

    localparam int INDEX_BITS = $clog2(SETS);

    logic busy_q;
    logic [12:0] fetched_q;
    logic [SETS-1:0] hits;
    logic [63:0] set_lines[SETS];
    logic [2:0] set_ways[SETS];

    genvar number;
    generate
        for (number = 0; number < SETS; number = number + 1) begin : sets
            lru_set #(.WAYS(WAYS)) one_set (
                .clk(clk), .rst(rst), .line(addr[15:3]),
                .use_hit(req && !stall && addr[3 +: INDEX_BITS] == number),
                .store(busy_q && mem_valid && fetched_q[INDEX_BITS-1:0] == number),
                .stored_line(fetched_q), .stored_data(mem_data),
                .inv(inv), .inv_line(inv_addr[15:3]),
                .hit(hits[number]), .hit_way(set_ways[number]), .hit_data(set_lines[number])
            );
        end
    endgenerate

    logic [63:0] line;
    always_comb begin
        line = '0;
        way = '0;
        for (int s = 0; s < SETS; s++) begin
            line = line | set_lines[s];
            way = way | set_ways[s];
        end
    end
    assign stall = req && (busy_q || hits == '0);
    assign rdata = line[32*addr[2] +: 32];
    assign mem_req = busy_q;
    assign mem_addr = {fetched_q, 3'b000};

    always_ff @(posedge clk) begin
        if (rst || (busy_q && mem_valid)) busy_q <= 1'b0;
        else if (stall) busy_q <= 1'b1;
        if (!busy_q) fetched_q <= addr[15:3];
    end

endmodule

module lru_set #(
    parameter int WAYS = 4
) (
    input  logic        clk,
    input  logic        rst,
    input  logic [12:0] line,
    input  logic        use_hit,
    input  logic        store,
    input  logic [12:0] stored_line,
    input  logic [63:0] stored_data,
    input  logic        inv,
    input  logic [12:0] inv_line,
    output logic        hit,
    output logic [2:0]  hit_way,
    output logic [63:0] hit_data
);
    logic [WAYS-1:0] valid_q, match, victim, used;
    logic [12:0] line_q[WAYS];
    logic [63:0] data_q[WAYS];
    // newer_q[WAYS * i + j]: way i was used after way j.
    logic [WAYS*WAYS-1:0] newer_q;

    always_comb begin
        hit_way = '0;
        hit_data = '0;
        for (int i = 0; i < WAYS; i++) begin
            match[i] = valid_q[i] && line_q[i] == line;
            if (match[i]) begin
                hit_way = i[2:0];
                hit_data = data_q[i];
            end
        end
        hit = |match;
    end

    always_comb begin
        if (valid_q != '1) victim = ~valid_q & (valid_q + 1'b1);
        else for (int i = 0; i < WAYS; i++) victim[i] = newer_q[WAYS*i +: WAYS] == '0;
    end
    assign used = store ? victim : use_hit ? match : '0;

    always_ff @(posedge clk) begin
        for (int i = 0; i < WAYS; i++) begin
            for (int j = 0; j < WAYS; j++) begin
                if (used[i] && i != j) newer_q[WAYS*i + j] <= 1'b1;
                else if (used[j]) newer_q[WAYS*i + j] <= 1'b0;
            end
            if (rst || (inv && line_q[i] == inv_line && !(store && victim[i]))) valid_q[i] <= 1'b0;
            else if (store && victim[i]) valid_q[i] <= 1'b1;
            if (store && victim[i]) begin
                line_q[i] <= stored_line;
                data_q[i] <= stored_data;
            end
        end
    end
endmodule
