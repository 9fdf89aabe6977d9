"""tiktoken's tables of tokens, made from the npm package that carries them, so that counting needs no network."""

import json
import os
import tempfile
from pathlib import Path

import folders
from progress import SetupStep, Tools

_ENCODERS = folders.ROOT / "node_modules" / "tiktoken" / "encoders"
# tiktoken names each file after the sha1 of the address it would fetch it from.
_FILE_BY_ENCODING = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}


def token_table_step() -> SetupStep:
    """Writes the tables into the cache."""
    targets = {encoding: folders.cache() / "tiktoken" / name for encoding, name in _FILE_BY_ENCODING.items()}

    def is_done() -> bool:
        return all(target.is_file() for target in targets.values())

    def work(tools: Tools) -> None:
        for encoding, target in targets.items():
            ranks = json.loads((_ENCODERS / f"{encoding}.json").read_text(encoding="utf-8"))["bpe_ranks"]
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary_file = tempfile.mkstemp(dir=target.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(_tiktoken_lines(ranks))
            Path(temporary_file).chmod(0o644)
            Path(temporary_file).replace(target)

    return SetupStep("Token tables", is_done, work, needs=("npm packages",))


def _tiktoken_lines(ranks: str) -> bytes:
    """The package's compressed form (`! offset token token …` in each line) as tiktoken's."""
    lines = []
    for row in ranks.splitlines():
        _, first_rank, *tokens = row.split(" ")
        lines += [f"{token} {rank}\n" for rank, token in enumerate(tokens, int(first_rank))]
    return "".join(lines).encode()
