"""Fixtures and helpers of the tests of pack folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FILES = {
    "pack.toml": 'name = "p"\ntitle = "P"\nversion = "1"\nlicense = "MIT"\nsource = "here"\norder = ["inv", "q"]\n',
    "inv/problem.toml": 'id = "inv"\nkind = "design"\ncategory = "cid003"\ndifficulty = "easy"\n'
    'expected = ["rtl/inv.sv"]\n[limits]\nwall_s = 5\n',
    "inv/statement.md": "# Inverter\n\nInvert.\n",
    "inv/public/rtl/inv.sv": "module inv; endmodule\n",
    "inv/hidden/harness/docker-compose.yml": "services: {}\n",
    "inv/hidden/reference/rtl/inv.sv": "module inv; /* right */ endmodule\n",
    "inv/hidden/wrong/stuck/rtl/inv.sv": "// stuck\n",
    "q/problem.toml": 'id = "q"\nkind = "question"\ndifficulty = "hard"\ndomain = "Caches"\n[question]\n'
    'format = "multiple-choice"\nchoices = { A = "one", B = "two" }\n[answer]\nvalue = "B"\n',
    "q/statement.md": "# Which?\n\nA or B?\n",
}


WritePack = Callable[[dict[str, str | bytes | None]], Path]


@pytest.fixture
def write_pack(tmp_path: Path) -> WritePack:
    """A small right pack with some of its files changed, or left out (None)."""

    def write(changes: dict[str, str | bytes | None]) -> Path:
        for path, content in (FILES | changes).items():
            if content is not None:
                file = tmp_path / "pack" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / "pack"

    return write
