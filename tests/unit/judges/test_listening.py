"""The socket that a service listens on."""

from __future__ import annotations

import asyncio
import socket

import pytest

from benchwright_judges.service.server import open_listener


@pytest.mark.asyncio
@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
async def test_the_end_of_an_answer_is_not_held_back_until_the_client_has_acknowledged_its_beginning(host: str) -> None:
    listener = open_listener(host, 0)
    no_delay_option: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def connected(stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        no_delay_option.set_result(
            writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY),
        )
        writer.close()

    async with await asyncio.start_server(connected, sock=listener):
        _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
        assert await asyncio.wait_for(no_delay_option, 30)
        writer.close()
