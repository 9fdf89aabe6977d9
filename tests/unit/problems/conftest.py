from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store

Record = dict[str, JsonValue]
WriteLines = Callable[..., Path]

ROOT = Path(__file__).parents[3]


@pytest.fixture
def cvdp_files() -> list[Path]:
    folder = ROOT.parent / "shared" / "data" / "cvdp"
    if not folder.is_dir():
        pytest.skip(f"NVIDIA's example datapoints are not at {folder}")
    return sorted(folder.glob("*.jsonl"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / "home")})


@pytest.fixture
def store(home: Home) -> Store:
    return Store(home)


@pytest.fixture
def write_lines(tmp_path: Path) -> WriteLines:
    """Writes records, texts or bytes as the lines of a file."""

    def write(*lines: Record | str | bytes, name: str = "data_v1.2.3.jsonl") -> Path:
        file = tmp_path / name
        line_bytes = [
            line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
            for line in lines
        ]
        file.write_bytes(b"".join(row + b"\n" for row in line_bytes))
        return file

    return write


@pytest.fixture
def nonagentic() -> Record:
    return {
        "id": "cvdp_copilot_inverter_0001",
        "categories": ["cid003", "easy"],
        "input": {"prompt": "Write an inverter.", "context": {"docs/spec.md": "y = !a\n"}},
        "output": {"response": "", "context": {"rtl/inverter.sv": "module inverter; endmodule\n"}},
        "harness": {"files": {"docker-compose.yml": "services: {}\n", "src/.env": "SIM = icarus\n"}},
    }


@pytest.fixture
def agentic() -> Record:
    return {
        "id": "cvdp_agentic_inverter_0002",
        "categories": ["cid016", "medium"],
        "system_message": "You are a hardware engineer.",
        "prompt": "Repair the inverter.",
        "context": {"rtl/inverter.sv": "module inverter;\nassign y = a;\nendmodule\n"},
        "patch": {
            "rtl/inverter.sv": "@@ -1,3 +1,3 @@\n module inverter;\n-assign y = a;\n+assign y = ~a;\n endmodule\n"
        },
        "harness": {"docker-compose.yml": "services: {}\n"},
    }


@pytest.fixture
def png() -> bytes:
    """A grey picture of two by two points (PNG specification, third edition, section 11)."""

    def chunk(chunk_name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + chunk_name + data + struct.pack(">I", zlib.crc32(chunk_name + data))

    header = struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0)
    chunks = chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(b"\0\x80\x80" * 2)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
