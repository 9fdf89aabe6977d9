"""Two solutions line by line: passages in common, without those that longer ones explain."""

from __future__ import annotations

from benchwright_service.grades.side_by_side import lines_side_by_side
from benchwright_teaching.similarity import Passage, SimilarPair


def test_a_line_has_the_number_of_its_passage_on_both_sides_and_longer_passages_explain_shorter_ones() -> None:
    long_passages = [(Passage("a.sv", 1, 4), Passage("a.sv", 5, 8)), (Passage("a.sv", 5, 8), Passage("a.sv", 1, 4))]
    false_friend = (Passage("a.sv", 4, 4), Passage("a.sv", 3, 3))
    pair = SimilarPair("ada", "bob", 0.9, [long_passages[0], false_friend, long_passages[1]])
    text = "\n".join(f"line {number}" for number in range(1, 10))
    first_solution, second_solution = lines_side_by_side(pair, {"ada": {"a.sv": text}, "bob": {"a.sv": text}})
    assert [line.passage for line in first_solution.lines_by_path["a.sv"]] == [1, 1, 1, 1, 2, 2, 2, 2, None]
    assert [line.passage for line in second_solution.lines_by_path["a.sv"]] == [2, 2, 2, 2, 1, 1, 1, 1, None]
    assert [
        (line.number, [*line.passage_starts]) for line in second_solution.lines_by_path["a.sv"] if line.passage_starts
    ] == [
        (1, [2]),
        (5, [1]),
    ]
