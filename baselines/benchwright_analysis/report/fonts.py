"""The font of the report's pictures: the same everywhere, so that what was measured here fits there.

Pictures are laid out with the widths of a font's letters. With a font of the reader's system, labels would be cut off
and legends overlap. `font/` has Inter (SIL Open Font License 1.1), Latin only; `docs/explanation/dependencies.md` says
how it was made.
"""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

FAMILY = "Report Inter"
_FOLDER = Path(__file__).parent / "font"


@cache
def register_font_with_renderer() -> None:
    """Lets what draws pictures measure with the font."""
    import vl_convert

    vl_convert.register_font_directory(str(_FOLDER))


def font_face_css() -> str:
    """The rule of a style sheet that brings the font along."""
    font_base64 = base64.b64encode((_FOLDER / "report-inter.ttf").read_bytes()).decode()
    return (
        f'@font-face {{ font-family: "{FAMILY}"; font-weight: 100 900; '
        f'src: url(data:font/ttf;base64,{font_base64}) format("truetype"); }}\n'
    )
