"""The bridge's four protocols, asked by their official clients or in their documented form; the model is scripted."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessageTool

from benchwright_subjects.bridge import ModelBridge, http_server

from .bridged_sample import SeenRequests, call_output, evaluate_with_bridge, event_names, scripted_model, text_output

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
GEMINI = "/v1beta/models/gemini-2.5-flash"


def model_events(log: EvalLog) -> list[ModelEvent]:
    (sample,) = log.samples or []
    return [event for event in sample.events if isinstance(event, ModelEvent)]


def has_succeeded(log: EvalLog) -> bool:
    assert log.status == "success", (log.error, [event.error for event in model_events(log)])
    (sample,) = log.samples or []
    return sample.error is None


def openai_client(client: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url="http://bridge/v1", api_key="none", http_client=client, max_retries=0)


def anthropic_client(client: httpx2.AsyncClient) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url="http://bridge", api_key="none", http_client=client, max_retries=0)


@pytest.mark.parametrize("stream", [False, True])
def test_openai_chat_answers_with_text_and_tools(tmp_path: Path, stream: bool) -> None:
    requests = SeenRequests()
    tool: Any = {"type": "function", "function": {"name": "write", "parameters": PARAMETERS}}
    heard: list[Any] = []

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        messages: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Solve it."}]
        for _ in range(2):
            chat = openai_client(client).chat.completions
            if stream:
                async with chat.stream(
                    model="gpt", messages=messages, tools=[tool], stream_options={"include_usage": True}
                ) as chat_stream:
                    reply: Any = await chat_stream.get_final_completion()
            else:
                reply = await chat.create(model="gpt", messages=messages, tools=[tool])
            message = reply.choices[0].message
            heard.append((reply.choices[0].finish_reason, message.content, message.tool_calls, reply.usage))
            messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
            for tool_call in message.tool_calls or []:
                messages.append({"role": "tool", "tool_call_id": tool_call.id, "content": "written"})

    log = evaluate_with_bridge(
        scripted_model(call_output("write", {"path": "a"}, "I write."), text_output("done"), requests=requests),
        asks,
        tmp_path,
        requests=requests,
    )
    assert has_succeeded(log)
    (ended, first_text, (called_tool,), usage), (last, final, last_calls, _) = heard
    assert (ended, first_text, called_tool.function.name, json.loads(called_tool.function.arguments)) == (
        "tool_calls",
        "I write.",
        "write",
        {"path": "a"},
    )
    assert usage.total_tokens == requests.counted_outputs[0].usage.total_tokens  # type: ignore[union-attr]
    assert (last, final, last_calls or []) == ("stop", "done", [])
    assert [offered_tool.name for offered_tool in requests.offered_tools[0]] == ["write"]
    assert [message.role for message in requests.messages[1]] == ["system", "user", "assistant", "tool"]
    assert len(model_events(log)) == 2


@pytest.mark.parametrize("stream", [False, True])
def test_openai_responses_answers_with_text_and_tools(tmp_path: Path, stream: bool) -> None:
    requests = SeenRequests()
    tool: Any = {"type": "function", "name": "write", "parameters": PARAMETERS, "strict": False}
    heard: list[Any] = []

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        conversation: list[Any] = [{"role": "user", "content": "Solve it."}]
        for _ in range(2):
            responses = openai_client(client).responses
            if stream:
                async with responses.stream(
                    model="gpt", input=conversation, tools=[tool], instructions="Be brief."
                ) as parts:
                    reply: Any = await parts.get_final_response()
            else:
                reply = await responses.create(model="gpt", input=conversation, tools=[tool], instructions="Be brief.")
            heard.append(reply)
            conversation += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in reply.output]
            for item in reply.output:
                if item.type == "function_call":
                    conversation.append({"type": "function_call_output", "call_id": item.call_id, "output": "written"})

    log = evaluate_with_bridge(
        scripted_model(call_output("write", {"path": "a"}), text_output("done"), requests=requests),
        asks,
        tmp_path,
        requests=requests,
    )
    assert has_succeeded(log)
    first, last = heard
    assert [(item.name, item.arguments) for item in first.output if item.type == "function_call"] == [
        ("write", '{"path": "a"}')
    ]
    assert (last.output_text, last.status, last.usage.output_tokens > 0) == ("done", "completed", True)
    assert [message.role for message in requests.messages[1]] == ["system", "user", "assistant", "tool"]


@pytest.mark.parametrize("stream", [False, True])
def test_anthropic_messages_answers_with_text_and_tools(tmp_path: Path, stream: bool) -> None:
    requests = SeenRequests()
    heard: list[Any] = []

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        messages: list[Any] = [{"role": "user", "content": "Solve it."}]
        request: Any = {
            "model": "claude",
            "max_tokens": 1000,
            "system": "Be brief.",
            "tools": [{"name": "write", "description": "Writes", "input_schema": PARAMETERS}],
        }
        for _ in range(2):
            if stream:
                async with anthropic_client(client).messages.stream(messages=messages, **request) as parts:
                    reply: Any = await parts.get_final_message()
            else:
                reply = await anthropic_client(client).messages.create(messages=messages, **request)
            heard.append(reply)
            messages.append(
                {"role": "assistant", "content": [part.model_dump(exclude_none=True) for part in reply.content]}
            )
            tool_results = [
                {"type": "tool_result", "tool_use_id": part.id, "content": "written"}
                for part in reply.content
                if part.type == "tool_use"
            ]
            messages.append({"role": "user", "content": tool_results})

    log = evaluate_with_bridge(
        scripted_model(call_output("write", {"path": "a"}, "I write."), text_output("done"), requests=requests),
        asks,
        tmp_path,
        requests=requests,
    )
    assert has_succeeded(log)
    first, last = heard
    assert [part.type for part in first.content] == ["text", "tool_use"]
    assert (first.content[1].name, first.content[1].input, first.stop_reason) == ("write", {"path": "a"}, "tool_use")
    assert (last.content[0].text, last.stop_reason) == ("done", "end_turn")
    assert any(isinstance(message, ChatMessageTool) and message.text == "written" for message in requests.messages[1])


@pytest.mark.parametrize("stream", [":generateContent", ":streamGenerateContent?alt=sse", ":streamGenerateContent"])
def test_gemini_answers_with_text_and_tools(tmp_path: Path, stream: str) -> None:
    requests = SeenRequests()
    heard: list[Any] = []

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        contents: list[Any] = [{"role": "user", "parts": [{"text": "Solve it."}]}]
        function_declaration = {
            "name": "write",
            "description": "Writes",
            "parameters": {**PARAMETERS, "type": "OBJECT"},
        }
        for _ in range(2):
            request_body = {
                "contents": contents,
                "tools": [{"functionDeclarations": [function_declaration]}],
                "systemInstruction": {"parts": [{"text": "Be brief."}]},
            }
            response = await client.post(GEMINI + stream, json=request_body)
            assert response.status_code == 200, response.text
            reply = json.loads(event_names(response.text)[0]) if "sse" in stream else response.json()
            reply = reply[0] if isinstance(reply, list) else reply
            heard.append(reply)
            content = reply["candidates"][0]["content"]
            result = {"functionResponse": {"name": "write", "response": {"output": "written"}}}
            contents += [content, {"role": "user", "parts": [result]}]

    log = evaluate_with_bridge(
        scripted_model(call_output("write", {"path": "a"}), text_output("done"), requests=requests),
        asks,
        tmp_path,
        requests=requests,
    )
    assert has_succeeded(log)
    first, last = (reply["candidates"][0] for reply in heard)
    (function_call,) = [part["functionCall"] for part in first["content"]["parts"] if "functionCall" in part]
    assert function_call == {"name": "write", "args": {"path": "a"}}
    assert last["content"]["parts"] == [{"text": "done"}]
    assert heard[1]["usageMetadata"]["totalTokenCount"] > 0
    assert requests.messages[0][0].role == "system"


def test_tools_of_a_namespace_are_offered_and_called_in_it(tmp_path: Path) -> None:
    requests = SeenRequests()
    # As Codex sends the tools of an MCP server.
    inner_tools = [
        {"type": "function", "name": "problem", "parameters": PARAMETERS},
        {"type": "function", "name": "status"},
    ]
    namespace_tools = [
        {"type": "namespace", "name": "mcp__benchwright", "description": "A problem.", "tools": inner_tools}
    ]
    heard: list[Any] = []

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        response = await client.post(
            "/v1/responses", json={"model": "gpt", "input": "Solve it.", "tools": namespace_tools}
        )
        assert response.status_code == 200, response.text
        heard.extend(output for output in response.json()["output"] if output["type"] == "function_call")

    assert has_succeeded(
        evaluate_with_bridge(
            scripted_model(call_output("problem", {"path": "a"}), requests=requests), asks, tmp_path, requests=requests
        )
    )
    assert [tool.name for tool in requests.offered_tools[0]] == ["problem", "status"]
    assert [(tool_call["namespace"], tool_call["name"]) for tool_call in heard] == [("mcp__benchwright", "problem")]


REQUESTS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"model": "m", "messages": [{"role": "user", "content": "x"}]},
    "/v1/responses": {"model": "m", "input": "x"},
    "/v1/messages": {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]},
    f"{GEMINI}:generateContent": {"contents": [{"role": "user", "parts": [{"text": "x"}]}]},
}
MALFORMED: list[bytes] = [
    b"",
    b"{",
    b"[]",
    b"[" * 100_000,
    b'{"model": "m"}',
    b'{"model": "m", "messages": 7, "input": 7, "contents": 7}',
    b'{"model": "m", "messages": [{"role": "wizard"}], "input": [{"type": "x"}], "contents": [3], "max_tokens": 1}',
    b'{"model": "m", "tools": [{}], "messages": [], "input": "x", "contents": [], "max_tokens": 1}',
]


@pytest.mark.parametrize("path", REQUESTS)
def test_malformed_requests_are_refused_in_the_protocols_form_and_the_bridge_goes_on(tmp_path: Path, path: str) -> None:
    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        for body in MALFORMED:
            response = await client.post(path, content=body)
            assert response.status_code in (200, 400), (body, response.text)
            if response.status_code == 400:
                assert response.json()["error"]["message"]
        assert (await client.post(path, json=REQUESTS[path])).status_code == 200

    assert has_succeeded(evaluate_with_bridge(scripted_model(*[text_output("ok")] * 20), asks, tmp_path))


@pytest.mark.parametrize("path", REQUESTS)
def test_a_provider_that_fails_is_told_by_its_status_alone(tmp_path: Path, path: str) -> None:
    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        response = await client.post(path, json=REQUESTS[path])
        assert (response.status_code, "CANARY" in response.text) == (502, False)
        assert "502" in response.json()["error"]["message"]

    log = evaluate_with_bridge(scripted_model(OSError("no route to CANARY.example:8443")), asks, tmp_path)
    assert [event.error is not None for event in model_events(log)] == [True]


def test_requests_that_are_too_large_compressed_or_unknown_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MOST_BYTES", 1000)

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        large = await client.post("/v1/messages", content=b"x" * 1001)
        packed = await client.post("/v1/responses", content=b"x", headers={"Content-Encoding": "zstd"})
        unknown_responses = [await client.post("/v1/embeddings", json={}), await client.get("/v1/messages")]
        assert (large.status_code, large.json()["error"]["type"]) == (413, "request_too_large")
        assert packed.status_code == 415
        assert [response.status_code for response in unknown_responses] == [404, 404]
        assert (await client.get("/v1/models")).json()["data"][0]["id"] == "inspect"

    assert has_succeeded(evaluate_with_bridge(scripted_model(), asks, tmp_path))


def test_a_token_limit_ends_the_sample_and_is_told(tmp_path: Path) -> None:
    statuses: list[int] = []

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        for _ in range(2):
            response = await client.post("/v1/responses", json=REQUESTS["/v1/responses"])
            statuses.append(response.status_code)
        assert bridge.failure.done()

    log = evaluate_with_bridge(
        scripted_model(text_output("one " * 50), text_output("two")), asks, tmp_path, token_limit=10
    )
    (sample,) = log.samples or []
    assert sample.limit is not None
    assert sample.limit.type == "token"
    assert 429 in statuses


@pytest.mark.parametrize(("forwards", "temperature"), [(False, None), (True, 0.5)])
def test_each_request_has_the_samples_seed_and_the_programs_own_settings_only_where_they_belong_to_it(
    tmp_path: Path, forwards: bool, temperature: float | None
) -> None:
    requests = SeenRequests()

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        await client.post(
            "/v1/chat/completions", json=REQUESTS["/v1/chat/completions"] | {"temperature": 0.5, "seed": 3}
        )

    assert has_succeeded(
        evaluate_with_bridge(
            scripted_model(text_output("ok"), requests=requests), asks, tmp_path, seed=42, forwards=forwards
        )
    )
    assert [(config.seed, config.temperature) for config in requests.configs] == [(42, temperature)]


def test_a_slow_model_keeps_a_streamed_connection_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "WAITING_S", 0.01)
    answering = asyncio.Event()

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        answer_request = bridge.start_answer

        def slowly(*arguments: Any) -> Any:
            async def later() -> Any:
                await answering.wait()
                return await answer_request(*arguments)

            return asyncio.create_task(later())

        monkeypatch.setattr(bridge, "start_answer", slowly)
        body = REQUESTS["/v1/chat/completions"] | {"stream": True}
        async with client.stream("POST", "/v1/chat/completions", json=body) as response:
            lines = response.aiter_lines()
            assert (await anext(lines)).startswith(": waiting")
            answering.set()
            assert [line async for line in lines if "data" in line][-1] == "data: [DONE]"

    assert has_succeeded(evaluate_with_bridge(scripted_model(text_output("ok")), asks, tmp_path))


def test_a_program_that_hangs_up_cancels_its_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled = asyncio.Event()

    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        request_arrived = asyncio.Event()

        def never(*arguments: Any) -> Any:
            async def wait() -> Any:
                request_arrived.set()
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    cancelled.set()
                    raise

            return asyncio.create_task(wait())

        monkeypatch.setattr(bridge, "start_answer", never)
        posted = asyncio.create_task(client.post("/v1/messages", json=REQUESTS["/v1/messages"]))
        await request_arrived.wait()
        posted.cancel()
        await asyncio.wait_for(cancelled.wait(), 10)

    assert has_succeeded(evaluate_with_bridge(scripted_model(), asks, tmp_path))


def test_half_a_character_does_not_reach_the_log(tmp_path: Path) -> None:
    async def asks(client: httpx2.AsyncClient, bridge: ModelBridge) -> None:
        body = b'{"model": "m", "messages": [{"role": "user", "content": "x\\ud800y\\ud83d\\ude00"}]}'
        assert (await client.post("/v1/chat/completions", content=body)).status_code == 200

    log = evaluate_with_bridge(scripted_model(text_output("ok")), asks, tmp_path)
    assert has_succeeded(log)
    assert read_eval_log(log.location).status == "success"
    assert [event.input[0].text for event in model_events(log)] == ["x\ufffdy\U0001f600"]
