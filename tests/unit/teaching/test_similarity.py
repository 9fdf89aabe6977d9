from __future__ import annotations

import re

import pytest

from benchwright_teaching.similarity import pairs_with_common_text

TEMPLATE = """module fifo #(parameter int WIDTH = 8, parameter int DEPTH = 16) (
    input logic clk, input logic rst_n, input logic push, input logic pop,
    input logic [WIDTH-1:0] data_in, output logic [WIDTH-1:0] data_out, output logic full, output logic empty
);
endmodule
"""
BODY = """  logic [WIDTH-1:0] memory [DEPTH];
  logic [$clog2(DEPTH):0] head, tail;
  assign full = (head - tail) == DEPTH;
  assign empty = head == tail;
  assign data_out = memory[tail[$clog2(DEPTH)-1:0]];
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      head <= '0;
      tail <= '0;
    end else begin
      if (push && !full) begin
        memory[head[$clog2(DEPTH)-1:0]] <= data_in;
        head <= head + 1'b1;
      end
      if (pop && !empty) tail <= tail + 1'b1;
    end
  end
"""
OTHER = """  reg [WIDTH-1:0] store [0:DEPTH-1];
  integer used, first;
  always @(posedge clk, negedge rst_n)
    if (~rst_n) {used, first} <= 0;
    else case ({push & ~full, pop & ~empty})
      2'b10: begin store[(first + used) % DEPTH] <= data_in; used <= used + 1; end
      2'b01: begin first <= (first + 1) % DEPTH; used <= used - 1; end
      2'b11: begin store[(first + used) % DEPTH] <= data_in; first <= (first + 1) % DEPTH; end
      default: ;
    endcase
  always @* begin full = used >= DEPTH; empty = used <= 0; data_out = store[first]; end
"""


def solution(body: str) -> dict[str, str]:
    return {"rtl/fifo.sv": TEMPLATE.replace("endmodule", f"{body}endmodule")}


def renamed(text: str) -> str:
    for old_name, new_name in (("memory", "ram"), ("head", "wr_ptr"), ("tail", "rd_ptr"), ("1'b1", "1")):
        text = re.sub(rf"\b{old_name}\b" if old_name.isidentifier() else old_name, new_name, text)
    return text


def reordered(text: str) -> str:
    lines = text.splitlines(keepends=True)
    assigns = [line for line in lines if line.lstrip().startswith("assign")]
    return "".join([*(line for line in lines if line not in assigns), *reversed(assigns)])


@pytest.mark.parametrize(
    "change_text",
    [
        lambda text: text,
        renamed,
        lambda text: "// my own work\n" + text.replace("begin", "begin  /* x */\n\n"),
        lambda text: reordered(renamed(text)),
    ],
    ids=["copied", "renamed", "commented", "reordered"],
)
def test_a_changed_copy_is_found_with_its_lines(change_text: object) -> None:
    assert callable(change_text)
    (similar_pair,) = pairs_with_common_text(
        {"ada": solution(BODY), "bob": solution(change_text(BODY))}, {"rtl/fifo.sv": TEMPLATE}
    )
    assert similar_pair.share > 0.5
    (stretch, *_) = similar_pair.first_lines["rtl/fifo.sv"]
    assert 3 <= stretch[0] < stretch[1] <= 23


def test_passages_say_which_lines_of_one_solution_are_which_of_the_other() -> None:
    half = BODY.index("  always_ff")
    moved = BODY[half:] + BODY[:half]
    (similar_pair,) = pairs_with_common_text({"ada": solution(BODY), "bob": solution(moved)}, {"rtl/fifo.sv": TEMPLATE})
    solution_lines = [solution(text)["rtl/fifo.sv"].split("\n") for text in (BODY, moved)]
    long_passages = [
        passages for passages in similar_pair.passages if passages[0].last_line - passages[0].first_line > 2
    ]
    assert len(long_passages) >= 2
    for first_passage, second_passage in long_passages:
        first_lines, second_lines = (
            lines[passage.first_line - 1 : passage.last_line]
            for lines, passage in zip(solution_lines, (first_passage, second_passage), strict=True)
        )
        assert {*first_lines} & {*second_lines}
        assert abs(len(first_lines) - len(second_lines)) <= 2


def test_solutions_written_apart_share_little_or_nothing() -> None:
    compared_pairs = pairs_with_common_text(
        {"ada": solution(BODY), "grace": solution(OTHER)}, {"rtl/fifo.sv": TEMPLATE}
    )
    assert all(pair.share < 0.2 for pair in compared_pairs)


def test_what_everybody_was_given_is_not_in_common() -> None:
    assert pairs_with_common_text({"ada": solution(""), "grace": solution("")}, {"rtl/fifo.sv": TEMPLATE}) == []


def test_what_most_solutions_have_says_nothing() -> None:
    everybody = {f"student {number}": solution(BODY) for number in range(20)}
    assert pairs_with_common_text(everybody, {"rtl/fifo.sv": TEMPLATE}) == []


@pytest.mark.parametrize("text", ["", "\0\0", "module", "é" * 500, ")" * 3_000])
def test_broken_text_is_compared_like_any_other(text: str) -> None:
    pairs_with_common_text({"ada": {"a.sv": text}, "grace": {"a.sv": text}}, {})
