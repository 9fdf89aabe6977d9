"""Verilog and SystemVerilog as a reader and a writer of it see them: words, literals, comments, what fits where."""
