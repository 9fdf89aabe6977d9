"""Netlists of modules: Yosys, with slang as its front end, makes them in a process of its own."""
