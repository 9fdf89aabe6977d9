"""The tools of an attempt for agents that speak the Model Context Protocol."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from benchwright_foundation.distribution import version
from benchwright_server.agent.backend import Backend
from benchwright_server.errors import ServerError

_ABOUT = (
    "A hardware-design problem in this folder. Ask for the problem first, start the clock, write the files that are "
    "tested, and run the hidden tests. What the attempt's rules forbid is refused; everything is recorded."
)


def mcp_server(backend: Backend) -> Server[Any]:
    """A server whose tools are those that the attempt allows."""

    async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        try:
            tools = (await backend.call_operation("agentTools", agent=_agent_name_and_version(context)))["tools"]
        except ServerError as error:
            raise MCPError(types.INVALID_REQUEST, str(error)) from error
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool["name"],
                    description=tool["description"],
                    input_schema=tool["parameters"],
                    annotations=types.ToolAnnotations(read_only_hint=tool["readsOnly"], open_world_hint=False),
                )
                for tool in tools
            ]
        )

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            reply = await backend.call_operation(
                "agentTool",
                tool=params.name,
                arguments=dict(params.arguments or {}),
                agent=_agent_name_and_version(context),
            )
        except ServerError as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
        return types.CallToolResult(content=[types.TextContent(type="text", text=reply["text"])])

    return Server(
        "benchwright", version=version(), instructions=_ABOUT, on_list_tools=list_tools, on_call_tool=call_tool
    )


def _agent_name_and_version(context: Any) -> str:
    client = context.session.client_params
    return f"{client.client_info.name} {client.client_info.version}" if client is not None else ""


async def serve_over_stdio(backend: Backend) -> None:
    """Serves one agent over standard input and output until it goes away."""
    server = mcp_server(backend)
    try:
        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())
    finally:
        await backend.close()
