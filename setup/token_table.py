"""tiktoken's table of tokens, made from the npm package that carries it, so that counting needs no network."""

import json
import os
import tempfile
from pathlib import Path

import folders
from progress import SetupStep, Tools

_SOURCE = folders.ROOT / "node_modules" / "tiktoken" / "encoders" / "o200k_base.json"
# tiktoken names the file after the sha1 of the address it would fetch it from.
_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"


def token_table_step() -> SetupStep:
    """Writes the table into the cache."""
    target = folders.cache() / "tiktoken" / _FILE

    def work(tools: Tools) -> None:
        ranks = json.loads(_SOURCE.read_text(encoding="utf-8"))["bpe_ranks"]
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary_file = tempfile.mkstemp(dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(_tiktoken_lines(ranks))
        Path(temporary_file).chmod(0o644)
        Path(temporary_file).replace(target)

    return SetupStep("Token table", target.is_file, work, needs=("npm packages",))


def _tiktoken_lines(ranks: str) -> bytes:
    """The package's compressed form (`! offset token token …` in each line) as tiktoken's."""
    lines = []
    for row in ranks.splitlines():
        _, first_rank, *tokens = row.split(" ")
        lines += [f"{token} {rank}\n" for rank, token in enumerate(tokens, int(first_rank))]
    return "".join(lines).encode()
