"""tiktoken's table of tokens, made from the npm package that carries it, so that counting needs no network."""

import json
import os
import tempfile
from pathlib import Path

import folders
from progress import Step, Tools

_SOURCE = folders.ROOT / "node_modules" / "tiktoken" / "encoders" / "o200k_base.json"
# tiktoken names the file after the sha1 of the address it would fetch it from.
_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"


def step() -> Step:
    """Writes the table into the cache."""
    target = folders.cache() / "tiktoken" / _FILE

    def work(tools: Tools) -> None:
        ranks = json.loads(_SOURCE.read_text(encoding="utf-8"))["bpe_ranks"]
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(_lines(ranks))
        Path(part).chmod(0o644)
        Path(part).replace(target)

    return Step("Token table", target.is_file, work, needs=("npm packages",))


def _lines(ranks: str) -> bytes:
    """The package's compressed form (`! offset token token …` in each line) as tiktoken's."""
    lines = []
    for row in ranks.splitlines():
        _, first, *tokens = row.split(" ")
        lines += [f"{token} {rank}\n" for rank, token in enumerate(tokens, int(first))]
    return "".join(lines).encode()
