"""A real server under random typing and random questions, over real designs: it answers everything and stays small."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from benchwright_server.feature_registry import FEATURES

from ..support.designs.corpus import NASTY, designs
from .fuzzing import FOLLOWING, POSITIONED, RANGED, WHOLE, Client, Typist

pytestmark = pytest.mark.long

EDITS, REQUESTS = 2_500, 800
"""Of one run."""
EDITS_OF_A_NIGHT, REQUESTS_OF_A_NIGHT = 100_000, 24_000
_SMALL = 6_000
"""Mostly files up to so many characters: what breaks on a large one breaks on a small one, only sooner."""
_OPEN = 3
_STAY = 60
"""Number of messages of edits that a file gets before another is opened."""
TOLD = {
    f"textDocument/{name}"
    for name in (
        *("hover", "completion", "definition", "references", "documentHighlight", "selectionRange", "inlayHint"),
        *("semanticTokens/full", "semanticTokens/range", "documentSymbol", "foldingRange", "codeLens", "formatting"),
    )
}
"""Requests that have an answer in any text that is not too broken."""

_BREATH = 20
"""After so many messages of edits the server may catch up."""


def corpus() -> tuple[dict[str, str], list[str]]:
    """Small files by unique name, and all the larger ones."""
    texts = {
        f"{Path(name).stem}_{number}{Path(name).suffix}": text
        for number, design in enumerate(designs())
        for name, text in design.files.items()
    }
    small = {name: text for name, text in texts.items() if len(text) <= _SMALL}
    return small, [text for text in texts.values() if len(text) > _SMALL]


@pytest.mark.asyncio
async def test_random_typing_and_asking_is_answered_without_an_error(
    tmp_path: Path, nightly: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    edits, requests = (EDITS_OF_A_NIGHT, REQUESTS_OF_A_NIGHT) if nightly else (EDITS, REQUESTS)
    small, large = corpus()
    folder = tmp_path / "designs"
    folder.mkdir()
    for name, text in list(small.items())[:40]:
        (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    client = await Client.start(tmp_path / "home", folder, dict(os.environ), seed=edits)
    began = time.monotonic()
    try:
        memory = await _type_and_ask(client, folder, small, large, edits, requests)
        await client.close()
    finally:
        await client.kill()
    with capsys.disabled():
        request_count = sum(client.counts.values())
        print(f"\n{edits} edits, {request_count} requests in {time.monotonic() - began:.0f} s; memory {memory} MB")
    answered_methods = {method for method in POSITIONED + RANGED + WHOLE if client.answers[method]}
    # Of ten positions by chance, all may be blank.
    assert len(TOLD - answered_methods) <= (0 if nightly else 2), f"never an answer: {TOLD - answered_methods}"
    assert sum(client.counts.values()) >= requests
    assert memory[-1] <= memory[0] * 1.25 + 40, f"memory grew: {memory} MB"


async def _type_and_ask(
    client: Client, folder: Path, small: dict[str, str], large: list[str], edits: int, requests: int
) -> list[int]:
    """Returns the server's memory in megabytes from the first third on."""
    names = list(small)
    texts = list(small.values())
    open_files: list[Typist] = []
    memory: list[int] = []
    typed = request_count = messages = 0
    while typed < edits:
        if messages % _BREATH == 0:
            # This one is answered when all that was typed is recorded: nobody types faster than that.
            await client.answer("benchwright/packs", {})
        if messages % _STAY == 0:
            if len(open_files) == _OPEN:
                closed_file = open_files.pop(0)
                await closed_file.compare()
                closed_file.close()
            name = client.random.choice(names)
            text = client.random.choice(large) if large and client.random.random() < 0.02 else small[name]
            while any(file.uri.endswith(f"/{name}") for file in open_files):
                name = client.random.choice(names)
            open_files.append(Typist(client, (folder / name).as_uri(), text, texts))
        open_file = client.random.choice(open_files)
        typed += open_file.type()
        messages += 1
        while request_count < typed * requests / edits:
            await open_file.ask()
            request_count += 1
        if typed >= edits * (2 + len(memory)) / 6:
            memory.append(client.memory >> 20)
    await client.wait_until_answered()
    memory.append(client.memory >> 20)
    return memory


def test_the_fuzz_asks_for_everything_that_is_served() -> None:
    asked_methods = {
        *POSITIONED,
        *RANGED,
        *WHOLE,
        *(method for following in FOLLOWING.values() for method in following),
    }
    assert asked_methods == {method for feature in FEATURES for method in feature.methods}
    assert len(NASTY) > 20
