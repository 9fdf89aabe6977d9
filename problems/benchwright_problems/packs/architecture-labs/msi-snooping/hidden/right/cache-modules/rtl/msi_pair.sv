// Another way: a module for each cache that snoops what the bus announces, and a bus that remembers which steps are still to do.
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

    // Steps still to do, the lowest first: evict, flush, fetch, upgrade.
    logic [3:0] todo_q, step, todo;
    logic owner_q, store_q, last, done, idle;
    logic [5:0] word_q, word;
    logic winner, need0, need1;

    logic [1:0] victim_m, has_m, has_s;
    logic [5:0] victim0, victim1;
    logic [31:0] old0, old1;

    assign idle = todo_q == 4'd0;
    assign step = todo_q & (~todo_q + 4'd1);
    assign done = !idle && (step[3] || mem_ack);
    assign last = done && (step[2] || step[3]);

    assign winner = need1 && (!need0 || !owner_q);
    assign word = idle ? (winner ? addr1 : addr0) : word_q;

    // What both caches say of the announced word.
    assign todo = {has_s[winner], !has_s[winner], has_m[!winner], victim_m[winner]};

    assign mem_req = |todo_q[2:0];
    assign mem_we = step[0] || step[1];
    assign mem_addr = step[0] ? (owner_q ? victim1 : victim0) : word_q;
    assign mem_wdata = (step[0] ? owner_q : !owner_q) ? old1 : old0;

    msi_cache cache0 (
        .clk(clk), .rst(rst), .idle(idle), .req(req0), .we(we0), .addr(addr0), .wdata(wdata0), .ready(ready0),
        .rdata(rdata0), .need(need0), .bus_word(word), .victim_m(victim_m[0]), .has_m(has_m[0]), .has_s(has_s[0]),
        .victim(victim0), .old(old0), .mine(!owner_q), .store(store_q), .evicted(done && step[0]),
        .flushed(done && step[1]), .finished(last), .fetched(step[2]), .new_word(mem_rdata),
        .probe_addr(probe_addr), .probe(probe0));
    msi_cache cache1 (
        .clk(clk), .rst(rst), .idle(idle), .req(req1), .we(we1), .addr(addr1), .wdata(wdata1), .ready(ready1),
        .rdata(rdata1), .need(need1), .bus_word(word), .victim_m(victim_m[1]), .has_m(has_m[1]), .has_s(has_s[1]),
        .victim(victim1), .old(old1), .mine(owner_q), .store(store_q), .evicted(done && step[0]),
        .flushed(done && step[1]), .finished(last), .fetched(step[2]), .new_word(mem_rdata),
        .probe_addr(probe_addr), .probe(probe1));

    always_ff @(posedge clk) begin
        if (rst) begin
            todo_q <= 4'd0;
            owner_q <= 1'b1;
        end else if (!idle) begin
            if (done) todo_q <= todo_q & ~step;
        end else if (need0 || need1) begin
            todo_q <= todo;
            owner_q <= winner;
            word_q <= word;
            store_q <= winner ? we1 : we0;
        end
    end

endmodule

module msi_cache (
    input  logic        clk, rst, idle, req, we,
    input  logic [5:0]  addr,
    input  logic [31:0] wdata,
    output logic        ready,
    output logic [31:0] rdata,
    output logic        need,
    input  logic [5:0]  bus_word,
    output logic        victim_m, has_m, has_s,
    output logic [5:0]  victim,
    output logic [31:0] old,
    input  logic        mine, store, evicted, flushed, finished, fetched,
    input  logic [31:0] new_word,
    input  logic [5:0]  probe_addr,
    output logic [1:0]  probe
);
    // A valid entry is S or M; the word's address is kept whole.
    logic [3:0] valid_q, modified_q;
    logic [5:0] held[4];
    logic [31:0] data[4];
    logic [1:0] at, on_bus;
    logic present, same;

    assign at = addr[1:0];
    assign on_bus = bus_word[1:0];
    assign present = valid_q[at] && held[at] == addr;
    assign same = held[on_bus] == bus_word;
    assign ready = idle && req && present && (modified_q[at] || !we);
    assign need = req && !(present && (modified_q[at] || !we));
    assign rdata = data[at];
    assign victim_m = valid_q[on_bus] && modified_q[on_bus] && !same;
    assign has_m = valid_q[on_bus] && modified_q[on_bus] && same;
    assign has_s = valid_q[on_bus] && !modified_q[on_bus] && same;
    assign victim = held[on_bus];
    assign old = data[on_bus];
    assign probe = (valid_q[probe_addr[1:0]] && held[probe_addr[1:0]] == probe_addr)
        ? {modified_q[probe_addr[1:0]], !modified_q[probe_addr[1:0]]} : 2'd0;

    always_ff @(posedge clk) begin
        if (ready && we) data[at] <= wdata;
        if (mine) begin
            if (evicted) valid_q[on_bus] <= 1'b0;
            if (finished) begin
                valid_q[on_bus] <= 1'b1;
                modified_q[on_bus] <= store;
                held[on_bus] <= bus_word;
                if (fetched) data[on_bus] <= new_word;
            end
        end else begin
            if (flushed) modified_q[on_bus] <= 1'b0;
            if (same && store && (flushed || finished)) valid_q[on_bus] <= 1'b0;
        end
        if (rst) valid_q <= 4'd0;
    end
endmodule
