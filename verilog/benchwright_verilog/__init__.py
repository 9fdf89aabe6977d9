"""SystemVerilog as an editor needs it: structure, meaning, proposals, findings, actions. Knows no benchmark."""
