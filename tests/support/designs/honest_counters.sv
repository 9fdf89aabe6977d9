// One right counter in many styles. A line with a style begins each; the module is the starter pack's `sat_counter`.

// style: a chain
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end

endmodule

// style: always @ with reg
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: two processes
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  always_comb begin
    next = count;
    if (load) next = load_value;
    else if (up & ~down & ~at_max) next = count + 1'b1;
    else if (down & ~up & ~at_min) next = count - 1'b1;
  end
endmodule

// style: always @*
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  always @*
    if (load) next = load_value;
    else if (up ~^ down) next = count;
    else if (up) next = count + !at_max;
    else next = count - !at_min;
endmodule

// style: a conditional operator
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  assign next = load ? load_value : up == down ? count : up ? at_max ? count : count + 1'b1 : at_min ? count : count - 1'b1;
endmodule

// style: a function
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  function automatic logic [WIDTH-1:0] step(logic [WIDTH-1:0] value, logic u, d);
    if (u == d) return value;
    if (u) return &value ? value : value + 1'b1;
    return |value ? value - 1'b1 : value;
  endfunction
  assign next = load ? load_value : step(count, up, down);
endmodule

// style: a task
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  task automatic step(output logic [WIDTH-1:0] value);
    value = load ? load_value : count;
    if (!load && up && !down && !at_max) value = count + 1'b1;
    if (!load && down && !up && !at_min) value = count - 1'b1;
  endtask
  logic [WIDTH-1:0] next;
  always @(posedge clk) begin
    step(next);
    count <= rst_n ? next : '0;
  end
endmodule

// style: case on true
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk)
    case (1'b1)
      !rst_n: count <= '0;
      load: count <= load_value;
      up && down: ;
      up: if (!at_max) count <= count + 1'b1;
      down: if (!at_min) count <= count - 1'b1;
      default: ;
    endcase
endmodule

// style: casez
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk)
    casez ({
      rst_n, load, up, down
    })
      4'b0???: count <= '0;
      4'b11??: count <= load_value;
      4'b1010: count <= count + !at_max;
      4'b1001: count <= count - !at_min;
      default: count <= count;
    endcase
endmodule

// style: unique case
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk)
    if (!rst_n) count <= 0;
    else if (load) count <= load_value;
    else
      unique case ({
        up, down
      })
        2'b10:   if (!at_max) count <= count + 1'b1;
        2'b01:   if (!at_min) count <= count - 1'b1;
        default: ;
      endcase
endmodule

// style: priority if
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk)
    priority if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
    else count <= count;
endmodule

// style: an enum
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  typedef enum logic [1:0] {
    HOLD,
    LOAD,
    UP,
    DOWN
  } operation_t;
  operation_t operation;
  always_comb
    if (load) operation = LOAD;
    else if (up && !down) operation = UP;
    else if (down && !up) operation = DOWN;
    else operation = HOLD;
  always_comb
    case (operation)
      LOAD: next = load_value;
      UP: next = count + !at_max;
      DOWN: next = count - !at_min;
      default: next = count;
    endcase
endmodule

// style: a packed structure
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  typedef struct packed {
    logic [WIDTH-1:0] value;
    logic full;
    logic empty;
  } state_t;
  state_t state;
  assign state.value = count;
  assign state.full = &state.value;
  assign state.empty = state.value == '0;
  assign at_max = state.full;
  assign at_min = state.empty;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: a packed union
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  typedef union packed {
    logic [WIDTH-1:0] value;
    logic [WIDTH-1:0] bits;
  } word_t;
  word_t word;
  assign word.value = count;
  assign at_max = &word.bits;
  assign at_min = ~|word.bits;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: wider arithmetic
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  logic [WIDTH:0] sum;
  assign sum  = {1'b0, count} + (up && !down) - (down && !up);
  assign next = load ? load_value : sum[WIDTH] ? {WIDTH{up}} : sum[WIDTH-1:0];
endmodule

// style: signed arithmetic
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  logic signed [WIDTH+1:0] sum;
  assign sum  = $signed({2'b00, count}) + (up && !down ? 1 : 0) - (down && !up ? 1 : 0);
  assign next = load ? load_value : sum < 0 ? '0 : sum[WIDTH] ? '1 : sum[WIDTH-1:0];
endmodule

// style: a carry chain by a loop
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  logic [WIDTH-1:0] sum;
  always_comb begin
    logic carry;
    carry = 1;
    for (int i = 0; i < WIDTH; i++) begin
      sum[i] = count[i] ^ carry;
      carry  = carry & (up ? count[i] : ~count[i]);
    end
  end
  assign next = load ? load_value : up == down || (up ? at_max : at_min) ? count : sum;
endmodule

// style: a generate loop
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  wire [  WIDTH:0] carry;
  wire [WIDTH-1:0] next;
  assign carry[0] = (up & ~down & ~at_max) | (down & ~up & ~at_min);
  for (genvar i = 0; i < WIDTH; i++) begin : bits
    assign next[i] = load ? load_value[i] : count[i] ^ carry[i];
    assign carry[i+1] = carry[i] & (up ? count[i] : ~count[i]);
    always_ff @(posedge clk) count[i] <= rst_n & next[i];
  end
endmodule

// style: a generate condition
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  if (WIDTH == 1) begin : one_bit
    always_ff @(posedge clk)
      if (!rst_n) count <= 0;
      else if (load) count <= load_value;
      else if (up ^ down) count <= up;
  end else begin : more
    always_ff @(posedge clk) begin
      if (!rst_n) count <= '0;
      else if (load) count <= load_value;
      else if (up && !down && !at_max) count <= count + 1'b1;
      else if (down && !up && !at_min) count <= count - 1'b1;
    end
  end
endmodule

// style: primitives
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  and (at_max, at_max_all, 1'b1);
  wire at_max_all = &count;
  nor (at_min, |count);
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: debugging output
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
  always @(posedge clk) if (load) $display("load %0d: 1 passed in 0.1s", load_value);
endmodule

// style: an immediate assertion
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
  always @(posedge clk) if (rst_n === 1'b1) assert (!(at_max && at_min && WIDTH > 0) || ^count === 1'bx);
endmodule

// style: an initial value
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
  initial count = '0;
endmodule

// style: macros
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  `define NEXT(op) count <= count op 1'b1
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk)
    if (!rst_n) count <= 0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) `NEXT(+);
    else if (down && !up && !at_min) `NEXT(-);
endmodule

// style: an escaped name
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] \next+1 ;
  assign \next+1 = load ? load_value : up == down ? count : up ? count + !at_max : count - !at_min;
  always_ff @(posedge clk) count <= rst_n ? \next+1 : '0;
endmodule

// style: local parameters
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  localparam logic [WIDTH-1:0] TOP = {WIDTH{1'b1}};
  localparam BITS = $bits(count);
  assign at_max = count == TOP;
  assign at_min = count == {BITS{1'b0}};
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: an unpacked array
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] choices[4];
  assign choices[0] = count;
  assign choices[1] = count - !at_min;
  assign choices[2] = count + !at_max;
  assign choices[3] = count;
  always_ff @(posedge clk) count <= !rst_n ? '0 : load ? load_value : choices[{up, down}];
endmodule

// style: a part
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  wire [WIDTH-1:0] next = load ? load_value : up == down ? count : up ? count + !at_max : count - !at_min;
  value_register #(
      .WIDTH(WIDTH)
  ) value (
      .clk,
      .rst_n,
      .next,
      .count
  );
endmodule
module value_register #(
    parameter WIDTH = 1
) (
    input clk,
    rst_n,
    input [WIDTH-1:0] next,
    output reg [WIDTH-1:0] count
);
  always @(posedge clk) count <= rst_n ? next : {WIDTH{1'b0}};
endmodule

// style: a part by .*
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  wire [WIDTH-1:0] next = load ? load_value : up == down ? count : up ? count + !at_max : count - !at_min;
  value_register #(.WIDTH(WIDTH)) value (.*);
endmodule
module value_register #(
    parameter WIDTH = 1
) (
    input clk,
    rst_n,
    input [WIDTH-1:0] next,
    output reg [WIDTH-1:0] count
);
  always @(posedge clk) count <= rst_n ? next : {WIDTH{1'b0}};
endmodule

// style: an inside operator
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  always_comb
    if (load) next = load_value;
    else if ({up, down} inside {2'b00, 2'b11}) next = count;
    else next = up ? count + !at_max : count - !at_min;
endmodule

// style: an assignment pattern
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] choices[4];
  assign choices = '{count, count - !at_min, count + !at_max, count};
  always_ff @(posedge clk) count <= !rst_n ? '0 : load ? load_value : choices[{up, down}];
endmodule

// style: a loop with break
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  logic [WIDTH-1:0] next;
  always_ff @(posedge clk) count <= rst_n ? next : '0;
  logic [WIDTH-1:0] sum;
  always_comb begin
    sum = count;
    for (int i = 0; i < WIDTH; i++) begin
      sum[i] = ~count[i];
      if (count[i] != up) break;
    end
  end
  assign next = load ? load_value : up == down || (up ? at_max : at_min) ? count : sum;
endmodule

// style: a streaming operator
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  wire [WIDTH-1:0] turned = {<<{count}};
  assign at_max = &turned;
  assign at_min = ~|turned;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: a concurrent assertion
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
  assert property (@(posedge clk) disable iff (!rst_n) at_max |-> count == '1);
endmodule

// style: an event with a condition
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk iff (!rst_n || load || up != down)) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: an unpacked structure
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  typedef struct {
    logic max;
    logic min;
  } ends_t;
  ends_t ends;
  assign ends.max = &count;
  assign ends.min = ~|count;
  assign at_max = ends.max;
  assign at_min = ends.min;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: a function with outputs
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  function automatic void ends(input logic [WIDTH-1:0] value, output logic max, output logic min);
    max = &value;
    min = ~|value;
  endfunction
  always_comb ends(count, at_max, at_min);
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: a loop with two variables
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  logic [WIDTH-1:0] turned;
  always_comb for (int i = 0, j = WIDTH - 1; i < WIDTH; i++, j--) turned[i] = count[j];
  assign at_max = &turned;
  assign at_min = ~|turned;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: a variable that is an input
module sat_counter #(
    parameter int WIDTH = 8
) (
    input var logic clk,
    input var logic rst_n,
    input logic
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  assign at_max = &count;
  assign at_min = ~|count;
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule

// style: let
module sat_counter #(
    parameter int WIDTH = 8
) (
    input logic clk,
    rst_n,
    load,
    input logic [WIDTH-1:0] load_value,
    input logic up,
    down,
    output logic [WIDTH-1:0] count,
    output logic at_max,
    at_min
);
  let full(value) = &value;
  assign at_max = full(count);
  assign at_min = full(~count);
  always_ff @(posedge clk) begin
    if (!rst_n) count <= '0;
    else if (load) count <= load_value;
    else if (up && !down && !at_max) count <= count + 1'b1;
    else if (down && !up && !at_min) count <= count - 1'b1;
  end
endmodule
