// Wrong: a store hits a word that is only shared.
// SPDX-License-Identifier: Apache-2.0

module msi_pair (
    input  logic        clk,
    input  logic        rst,
    input  logic        req0, we0,
    input  logic [5:0]  addr0,
    input  logic [31:0] wdata0,
    output logic        ready0,
    output logic [31:0] rdata0,
    input  logic        req1, we1,
    input  logic [5:0]  addr1,
    input  logic [31:0] wdata1,
    output logic        ready1,
    output logic [31:0] rdata1,
    output logic        mem_req, mem_we,
    output logic [5:0]  mem_addr,
    output logic [31:0] mem_wdata,
    input  logic        mem_ack,
    input  logic [31:0] mem_rdata,
    input  logic [5:0]  probe_addr,
    output logic [1:0]  probe0, probe1
);

    localparam logic [1:0] I = 2'd0, S = 2'd1, M = 2'd2;

    localparam logic [2:0] IDLE = 3'd0, EVICT = 3'd1, FLUSH = 3'd2, FETCH = 3'd3, UPGRADE = 3'd4;

    // Entry number: {cache, index}.
    logic [1:0] states[8];
    logic [3:0] tags[8];
    logic [31:0] words[8];

    // The bus access: its step, the cache it is for, its word, and its kind.
    logic [2:0] step_q;
    logic owner_q, store_q;
    logic [5:0] word_q;

    logic [1:0] own0, own1;
    always_comb begin
        own0 = tags[{1'b0, addr0[1:0]}] == addr0[5:2] ? states[{1'b0, addr0[1:0]}] : I;
        own1 = tags[{1'b1, addr1[1:0]}] == addr1[5:2] ? states[{1'b1, addr1[1:0]}] : I;
        probe0 = tags[{1'b0, probe_addr[1:0]}] == probe_addr[5:2] ? states[{1'b0, probe_addr[1:0]}] : I;
        probe1 = tags[{1'b1, probe_addr[1:0]}] == probe_addr[5:2] ? states[{1'b1, probe_addr[1:0]}] : I;
    end

    logic hit0, hit1, idle;
    assign idle = step_q == IDLE;
    assign hit0 = own0 == M || own0 == S;
    assign hit1 = own1 == M || (own1 == S && !we1);
    assign ready0 = idle && req0 && hit0;
    assign ready1 = idle && req1 && hit1;
    assign rdata0 = words[{1'b0, addr0[1:0]}];
    assign rdata1 = words[{1'b1, addr1[1:0]}];

    // The entries of both caches that the bus access is about.
    logic [2:0] mine, others;
    logic other_has_it;
    assign mine = {owner_q, word_q[1:0]};
    assign others = {!owner_q, word_q[1:0]};
    assign other_has_it = tags[others] == word_q[5:2];

    assign mem_req = step_q == EVICT || step_q == FLUSH || step_q == FETCH;
    assign mem_we = step_q == EVICT || step_q == FLUSH;
    assign mem_addr = step_q == EVICT ? {tags[mine], word_q[1:0]} : word_q;
    assign mem_wdata = step_q == EVICT ? words[mine] : words[others];

    // The next access: who gets the bus, and its first step.
    logic want0, want1, winner, store;
    logic [5:0] word;
    logic [1:0] winner_state, loser_state;
    logic evicts;
    assign want0 = req0 && !hit0;
    assign want1 = req1 && !hit1;
    assign winner = (want0 && want1) ? !owner_q : want1;
    assign word = winner ? addr1 : addr0;
    assign store = winner ? we1 : we0;
    assign winner_state = winner ? own1 : own0;
    assign loser_state = tags[{!winner, word[1:0]}] == word[5:2] ? states[{!winner, word[1:0]}] : I;
    assign evicts = states[{winner, word[1:0]}] == M && tags[{winner, word[1:0]}] != word[5:2];

    always_ff @(posedge clk) begin
        case (step_q)
            IDLE: begin
                if (ready0 && we0) words[{1'b0, addr0[1:0]}] <= wdata0;
                if (ready1 && we1) words[{1'b1, addr1[1:0]}] <= wdata1;
                if (want0 || want1) begin
                    owner_q <= winner;
                    word_q <= word;
                    store_q <= store;
                    if (evicts) step_q <= EVICT;
                    else if (loser_state == M) step_q <= FLUSH;
                    else if (winner_state == S) step_q <= UPGRADE;
                    else step_q <= FETCH;
                end
            end
            EVICT:
                if (mem_ack) begin
                    states[mine] <= I;
                    step_q <= (other_has_it && states[others] == M) ? FLUSH : FETCH;
                end
            FLUSH:
                if (mem_ack) begin
                    states[others] <= store_q ? I : S;
                    step_q <= FETCH;
                end
            default:
                if (step_q == UPGRADE || mem_ack) begin
                    states[mine] <= store_q ? M : S;
                    if (step_q == FETCH) begin
                        tags[mine] <= word_q[5:2];
                        words[mine] <= mem_rdata;
                    end
                    if (store_q && other_has_it) states[others] <= I;
                    step_q <= IDLE;
                end
        endcase
        if (rst) begin
            step_q <= IDLE;
            owner_q <= 1'b1;
            for (int i = 0; i < 8; i++) states[i] <= I;
        end
    end

endmodule
