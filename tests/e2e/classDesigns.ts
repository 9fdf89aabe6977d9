import { starterFile } from "./starter.ts";

export const COUNTER = "rtl/sat_counter.sv";
export const ARBITER = "rtl/rr_arbiter.sv";

/** The line of the counter's file below which its body belongs. */
export const BODY_LINE = 17;

/** A counter as a student writes one: right, and no copy of the reference. */
export const RIGHT_BODY = `
logic [WIDTH-1:0] next_count;
always_comb begin
next_count = count;
if (load) next_count = load_value;
else if (up != down) begin
if (up && count != {WIDTH{1'b1}}) next_count = count + 1;
if (down && count != 0) next_count = count - 1;
end
end
always_ff @(posedge clk) count <= rst_n ? next_count : 0;
assign at_max = count == {WIDTH{1'b1}};
assign at_min = count == 0;`;

/** One that wraps around. */
export const WRONG_BODY = `
always_ff @(posedge clk) count <= !rst_n ? 0 : load ? load_value : count + up - down;
assign at_max = count == {WIDTH{1'b1}};
assign at_min = count == 0;`;

/** The right one in a copier's clothes. */
export function copiedCounter(): string {
  const body = RIGHT_BODY.replaceAll("next_count", "nxt")
    .replace("always_comb begin", "// What comes next.\n    always_comb begin")
    .replaceAll("count + 1", "count  +  1");
  return starterFile("saturating-counter", "public", COUNTER).replace("// Your code goes here.", `// All mine.${body}`);
}

/** An arbiter that is right, and no copy of the reference. */
export const RIGHT_ARBITER = arbiter(`
    always_comb begin
        grant = '0;
        for (int k = N - 1; k >= 0; k = k - 1)
            for (int i = 0; i < N; i = i + 1)
                if (first_q[i] && req[(i + k) % N]) grant = REQUESTER_0 << ((i + k) % N);
    end
    assign first_next = (accept && req != 0) ? ((grant << 1) | (grant >> (N - 1))) : first_q;`);

/** One that always serves the lowest number first. */
export const UNFAIR_ARBITER = arbiter(`
    assign grant = req & (~req + 1'b1);
    assign first_next = first_q;`);

function arbiter(missing: string): string {
  const given = starterFile("round-robin-arbiter", "public", ARBITER);
  return given.replace(/assign grant = '0;\s*assign first_next = first_q;/, () => missing.trim());
}
