"""New events of a study are delivered while somebody works, and nothing runs on afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_server.attempts.delivery_retry import LiveDelivery


@pytest.mark.asyncio
async def test_it_delivers_while_somebody_works_and_once_more_for_each_piece_of_news(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / "data", tmp_path / "state", tmp_path / "workspaces", tmp_path / "cache")
    delivered: list[None] = []
    live = LiveDelivery(home, lambda: len(delivered) < 3, pause_s=0)
    monkeypatch.setattr(live, "_deliver", lambda: delivered.append(None))
    live.deliver_soon()
    live.deliver_soon()
    assert live._task is not None
    await live._task
    assert len(delivered) == 3
    live.deliver_soon()
    await live._task
    assert len(delivered) == 4
