"""A hole of two lines in a small module, for trying inline-completion servers."""

from __future__ import annotations

from benchwright_subjects.inline.sites import Site, SiteKind

CANARY = "canary_7f3a"
"""In what the hole held, which no server may get."""
SITE = Site(
    "starter/m/rtl/m.sv#lines@1-2",
    "starter/m",
    "rtl/m.sv",
    SiteKind.LINES,
    "module m(input a, b, output y, z);\n    ",
    "\nendmodule\n",
    f"assign y = a & b; // {CANARY}\n    assign z = a | b;",
)
