"""An attempt for agents that speak the Model Context Protocol: tools, resources, prompts.

Everything is asked of the attempt's language server as the use of a tool, so what its rules forbid is refused, and what
is allowed is recorded, whichever way an agent takes to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

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
SCHEME = "benchwright"
_STATEMENT = f"{SCHEME}://statement"
_TEMPLATES = {
    "read_file": types.ResourceTemplate(
        name="file",
        uri_template=f"{SCHEME}://file/{{+path}}",
        description="A file of the workspace.",
    ),
    "lint": types.ResourceTemplate(
        name="findings",
        uri_template=f"{SCHEME}://findings/{{+path}}",
        description="What the editor shows of a Verilog or SystemVerilog file.",
        mime_type="application/json",
    ),
    "wave_window": types.ResourceTemplate(
        name="waveform",
        uri_template=f"{SCHEME}://waveform/{{+path}}{{?signals,start,end,columns}}",
        description="Signals of a waveform between two times in ticks; the paths of the signals with commas between.",
        mime_type="application/json",
    ),
}
"""Tool that reads it → the resources."""
_ASKED_BEFORE = {
    "start": (
        "An agent wants to start the clock of this attempt. From then on it is recorded at the level "
        "'{recording}'{study}. Do you agree?"
    ),
    "submit": "An agent wants to submit the saved files, which ends the attempt for good. Do you agree?",
    "take_hint": "An agent wants to take a hint, which may cost a share of the points. Do you agree?",
}
"""Tool → what the person is asked before an agent uses it."""
_REFUSED = "The person did not agree. Nothing was done."
_LONG_TOOLS = {"run_hidden_tests": "The hidden tests run", "run_own_tests": "The tests run"}
_PROGRESS_S = 1.0
_AGREEMENT: dict[str, Any] = {
    "type": "object",
    "properties": {"agree": {"type": "boolean", "title": "I agree"}},
    "required": ["agree"],
}
_INPUT = "agreement"
_FIRST_WITH_INPUTS = "2026-07-28"
"""The first revision in which a server asks a person by the result of a request."""
_PROMPTS = {
    "problem": types.Prompt(name="solve", title="Solve this problem", description="The statement, and how to work."),
    "explain_failure": types.Prompt(
        name="find_failure",
        title="Find out why the tests fail",
        description="What is known of the newest failure, within what the solver may see.",
    ),
    "lint": types.Prompt(
        name="review_file",
        title="Review a file",
        description="A file with its findings.",
        arguments=[types.PromptArgument(name="path", description="Inside the workspace.", required=True)],
    ),
}
"""Tool that it needs → the prompt."""
_MOST_COMPLETIONS = 100


class AttemptForAgents:
    """What an agent can ask of one attempt.

    Args:
        backend: Answers.
        asks_person: True if the person is asked before something that costs or ends the attempt, by clients that can.
    """

    def __init__(self, backend: Backend, *, asks_person: bool) -> None:
        self._backend = backend
        self._asks_person = asks_person

    def make_mcp_server(self) -> Server[Any]:
        """The server."""
        return Server(
            "benchwright",
            version=version(),
            instructions=_ABOUT,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete_path_argument,
        )

    # Tools

    async def _list_tools(self, context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool["name"],
                    description=tool["description"],
                    input_schema=tool["parameters"],
                    output_schema=tool["result"],
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool["readsOnly"],
                        destructive_hint=tool["name"] in ("submit", "take_hint"),
                        open_world_hint=False,
                    ),
                )
                for tool in await self._tools_offered_or_mcp_error(context)
            ]
        )

    async def _call_tool(
        self, context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        try:
            refusal = await self._refusal_or_question_to_person(context, params)
            if isinstance(refusal, types.InputRequiredResult):
                return refusal
            if refusal:
                raise ServerError(refusal)
            async with _report_long_tool_progress(context, params.name):
                reply = await self._run_tool(context, params.name, params.arguments or {})
        except ServerError as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=reply["text"])], structured_content=reply["structured"]
        )

    async def _refusal_or_question_to_person(
        self, context: Any, params: types.CallToolRequestParams
    ) -> str | types.InputRequiredResult:
        """What the agent gets instead, where a person has to agree: empty if it may go on."""
        if not self._asks_person or params.name not in _ASKED_BEFORE or not _can_elicit(context):
            return ""
        # What is forbidden is refused before anybody is asked.
        if all(tool["name"] != params.name for tool in await self._request_offered_tools(context)):
            return ""
        status = (await self._run_tool(context, "status", {}))["structured"]
        if params.name == "start" and status["state"] != "open":
            return ""
        study = f" for the study {status['study']}" if status.get("study") else ""
        message = _ASKED_BEFORE[params.name].format(recording=status["recording"], study=study)
        if context.protocol_version < _FIRST_WITH_INPUTS:
            answer = await context.session.elicit_form(message, _AGREEMENT, context.request_id)
        elif params.input_responses is None or _INPUT not in params.input_responses:
            elicitation = types.ElicitRequest(
                params=types.ElicitRequestFormParams(message=message, requested_schema=_AGREEMENT)
            )
            return types.InputRequiredResult(input_requests={_INPUT: elicitation})
        else:
            answer = params.input_responses[_INPUT]
        is_agreed = (
            isinstance(answer, types.ElicitResult)
            and answer.action == "accept"
            and bool((answer.content or {}).get("agree"))
        )
        return "" if is_agreed else _REFUSED

    # Resources

    async def _list_resources(
        self, context: Any, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        await self._tools_offered_or_mcp_error(context)
        resources = [
            types.Resource(
                name="statement",
                uri=_STATEMENT,
                description="The problem's statement, which files are tested, and the status.",
                mime_type="text/markdown",
            )
        ]
        resources += [
            types.Resource(name=path, uri=f"{SCHEME}://file/{quote(path)}", size=size)
            for path, size in (await self._workspace_file_sizes(context)).items()
        ]
        return types.ListResourcesResult(resources=resources)

    async def _list_templates(
        self, context: Any, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        offered = {tool["name"] for tool in await self._tools_offered_or_mcp_error(context)}
        return types.ListResourceTemplatesResult(
            resource_templates=[template for name, template in _TEMPLATES.items() if name in offered]
        )

    async def _read_resource(self, context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        tool, arguments, mime_type = _reading_tool_arguments_and_type(uri)
        text = (await self._run_tool_or_mcp_error(context, tool, arguments))["text"]
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)])

    # Prompts

    async def _list_prompts(self, context: Any, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        offered = {tool["name"] for tool in await self._tools_offered_or_mcp_error(context)}
        return types.ListPromptsResult(prompts=[prompt for tool, prompt in _PROMPTS.items() if tool in offered])

    async def _get_prompt(self, context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        arguments = params.arguments or {}
        if params.name == "solve":
            statement = (await self._run_tool_or_mcp_error(context, "problem", {}))["text"]
            text = f"{statement}\n\n{_ABOUT}"
        elif params.name == "find_failure":
            failure = (await self._run_tool_or_mcp_error(context, "explain_failure", {"hidden": True}))["text"]
            text = f"Find the cause in the files, and correct it.\n\n{failure}"
        elif params.name == "review_file" and "path" in arguments:
            path = arguments["path"]
            content = (await self._run_tool_or_mcp_error(context, "read_file", {"path": path}))["text"]
            findings = (await self._run_tool_or_mcp_error(context, "lint", {"path": path}))["text"]
            text = f"Review {path}. Its findings:\n{findings}\n\nThe file:\n{content}"
        else:
            raise MCPError(types.INVALID_PARAMS, f"There is no prompt {params.name!r} with these arguments.")
        return types.GetPromptResult(
            messages=[types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))]
        )

    async def _complete_path_argument(self, context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        await self._tools_offered_or_mcp_error(context)
        matching_paths: list[str] = []
        if params.argument.name == "path" and "waveform" not in getattr(params.ref, "uri", ""):
            sizes_by_path = await self._workspace_file_sizes(context)
            matching_paths = [path for path in sizes_by_path if path.startswith(params.argument.value)]
        return types.CompleteResult(
            completion=types.Completion(
                values=matching_paths[:_MOST_COMPLETIONS],
                total=len(matching_paths),
                has_more=len(matching_paths) > _MOST_COMPLETIONS,
            )
        )

    # The language server

    async def _tools_offered_or_mcp_error(self, context: Any) -> list[dict[str, Any]]:
        try:
            return await self._request_offered_tools(context)
        except ServerError as error:
            raise MCPError(types.INVALID_REQUEST, str(error)) from error

    async def _request_offered_tools(self, context: Any) -> list[dict[str, Any]]:
        reply = await self._backend.call_operation("agentTools", agent=_agent_name_and_version(context))
        tool_descriptions: list[dict[str, Any]] = reply["tools"]
        return tool_descriptions

    async def _run_tool(self, context: Any, tool_name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return await self._backend.call_operation(
            "agentTool", tool=tool_name, arguments=dict(arguments), agent=_agent_name_and_version(context)
        )

    async def _run_tool_or_mcp_error(
        self, context: Any, tool_name: str, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        try:
            return await self._run_tool(context, tool_name, arguments)
        except ServerError as error:
            raise MCPError(types.INVALID_REQUEST, str(error)) from error

    async def _workspace_file_sizes(self, context: Any) -> dict[str, int]:
        """Path → size; none before the clock runs, as the tool that lists them has it."""
        try:
            reply = await self._run_tool(context, "files", {})
        except ServerError:
            return {}
        return {file["path"]: file["bytes"] for file in reply["structured"]["files"]}


def _reading_tool_arguments_and_type(resource_uri: str) -> tuple[str, dict[str, Any], str]:
    """The tool that reads a resource, its arguments, and the type of the text.

    Raises:
        MCPError: No resource has this address.
    """
    if resource_uri == _STATEMENT:
        return "problem", {}, "text/markdown"
    resource_address = urlsplit(resource_uri)
    path = unquote(resource_address.path).removeprefix("/")
    if resource_address.scheme == SCHEME and path:
        if resource_address.netloc == "file":
            return "read_file", {"path": path}, "text/plain"
        if resource_address.netloc == "findings":
            return "lint", {"path": path}, "application/json"
        if resource_address.netloc == "waveform":
            fields = {name: values[-1] for name, values in parse_qs(resource_address.query).items()}
            window: dict[str, Any] = {"waves": path, "signals": fields.pop("signals", "").split(",")}
            return "wave_window", window | fields, "application/json"
    raise MCPError(types.INVALID_PARAMS, f"There is no resource {resource_uri[:200]!r}. resources/list has them.")


@contextlib.asynccontextmanager
async def _report_long_tool_progress(context: Any, tool_name: str) -> AsyncIterator[None]:
    """Reports that a tool which takes long still works, to a client that has asked for it."""
    words = _LONG_TOOLS.get(tool_name)
    if words is None:
        yield
        return
    begun = time.monotonic()

    async def report() -> None:
        while True:
            passed_s = time.monotonic() - begun
            await context.session.report_progress(passed_s, None, f"{words}, for {passed_s:.0f} s.")
            await asyncio.sleep(_PROGRESS_S)

    reporting = asyncio.create_task(report())
    try:
        yield
    finally:
        reporting.cancel()
        await asyncio.gather(reporting, return_exceptions=True)


def _can_elicit(context: Any) -> bool:
    capabilities = context.session.client_capabilities
    return capabilities is not None and capabilities.elicitation is not None


def _agent_name_and_version(context: Any) -> str:
    client = context.session.client_params
    return f"{client.client_info.name} {client.client_info.version}" if client is not None else ""


async def serve_over_stdio(backend: Backend, *, asks_person: bool) -> None:
    """Serves one agent over standard input and output until it goes away."""
    server = AttemptForAgents(backend, asks_person=asks_person).make_mcp_server()
    try:
        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())
    finally:
        await backend.close()
