"""Tools that show the design: its hierarchy, what drives a signal, what a signal drives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import Field

from benchwright_problems.aids import Aid
from benchwright_server.features.agent.results import InstancesResult, SignalFlows
from benchwright_server.features.agent.tool import AnyTool, Tool
from benchwright_server.features.requests import call_operation
from benchwright_server.protocol.design import FileRange, HierarchyLevel
from benchwright_server.protocol.design_views import FlowView, SignalTrace
from benchwright_server.protocol.messages import Wire
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer


class _Instance(Wire):
    path: str | None = Field(None, description="The instance whose children are wanted; leave it out for the tops.")


class _Signal(Wire):
    signal: str = Field(
        description="Its path from the top, such as top.u_core.count. The tool hierarchy shows the paths of instances."
    )


async def _tops_or_children_json(server: EditorServer, session: EditorSession, params: _Instance) -> str:
    design_level = await call_operation(
        server, "hierarchy", HierarchyLevel, uri=session.workspace.folder.as_uri(), path=params.path
    )
    return json.dumps(
        [
            {
                "path": instance.path,
                "module": instance.module,
                "parameters": {value.name: value.value for value in instance.parameters},
                "has_children": instance.has_children,
            }
            for instance in design_level.instances
        ]
    )


async def _drivers_json(server: EditorServer, session: EditorSession, params: _Signal) -> str:
    return await _signal_trace_json(server, session, params, "drivers")


async def _loads_json(server: EditorServer, session: EditorSession, params: _Signal) -> str:
    return await _signal_trace_json(server, session, params, "loads")


async def _signal_trace_json(
    server: EditorServer, session: EditorSession, params: _Signal, drivers_or_loads: str
) -> str:
    trace = await call_operation(
        server, drivers_or_loads, SignalTrace, uri=session.workspace.folder.as_uri(), signal=params.signal
    )
    trace_facts: dict[str, Any] = {
        "signal": trace.signal.path,
        "port_of_top": trace.port_of_top,
        drivers_or_loads: [_flow_fields(session, flow) for flow in trace.flows],
        "is_complete": trace.complete,
    }
    return json.dumps(trace_facts)


def _flow_fields(session: EditorSession, flow: FlowView) -> dict[str, Any]:
    return {
        "kind": flow.kind,
        "text": flow.text,
        "instance": flow.instance,
        **file_and_line_in_workspace(session, flow.at),
        "signals": [{"path": signal_end.signal.path, "part": signal_end.part} for signal_end in flow.signals],
    }


def file_and_line_in_workspace(session: EditorSession, file_range: FileRange | None) -> dict[str, Any]:
    """A place as a file of the workspace and a line from 1; nothing for one outside."""
    relative = session.workspace.relative(local_path_of(file_range.uri)) if file_range is not None else None
    return (
        {"file": relative, "line": file_range.start.line + 1} if file_range is not None and relative is not None else {}
    )


DESIGN_TOOLS: tuple[AnyTool, ...] = (
    Tool(
        "hierarchy",
        "The tops of the design, or the instances directly in another.",
        _Instance,
        _tops_or_children_json,
        InstancesResult,
        required_operation="hierarchy",
    ),
    Tool(
        "drivers",
        "What drives a signal, one level, through ports: assignments, connections, and the signals that they read.",
        _Signal,
        _drivers_json,
        SignalFlows,
        aid=Aid.DESIGN_VIEWS,
        required_operation="drivers",
    ),
    Tool(
        "loads",
        "What a signal drives, one level, through ports: assignments, connections, and the signals that they write.",
        _Signal,
        _loads_json,
        SignalFlows,
        aid=Aid.DESIGN_VIEWS,
        required_operation="loads",
    ),
)
"""All of them."""
