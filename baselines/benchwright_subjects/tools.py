"""Tools of an agent: its files, commands in the sandbox, and submitting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from inspect_ai.tool import ToolDef

from benchwright_subjects.agent_workspace import AgentWorkspace

_PATH = "The file's path, such as rtl/top.sv."


def agent_tools(workspace: AgentWorkspace) -> list[ToolDef]:
    """All tools over one workspace. They change the same files, so no two run at once."""

    async def list_files() -> str:
        return workspace.file_listing()

    async def read_file(path: str) -> str:
        return workspace.file_text(path)

    async def write_file(path: str, content: str) -> str:
        await workspace.write_file(path, content)
        return f"{path} is written."

    async def replace_in_file(path: str, old: str, new: str) -> str:
        await workspace.replace_only_occurrence(path, old, new)
        return f"{path} is changed."

    async def lint(path: str) -> str:
        return await workspace.lint(path)

    async def run_command(command: str) -> str:
        return await workspace.run_command(command)

    async def submit() -> str:
        workspace.sample.submitted = True
        return "The files are submitted."

    async def run_hidden_tests() -> str:
        return await workspace.run_hidden_tests()

    tool_defs = [
        _tool_definition(list_files, "List all files of the workspace with their sizes."),
        _tool_definition(read_file, "Read a file of the workspace.", path=_PATH),
        _tool_definition(
            write_file,
            "Write a file of the workspace, a new one or over the one that is there.",
            path=_PATH,
            content="The whole content.",
        ),
        _tool_definition(
            replace_in_file,
            "Replace a string that occurs exactly once in a file.",
            path=_PATH,
            old="The string to replace, exactly as it is in the file.",
            new="The replacement.",
        ),
        _tool_definition(
            lint,
            "Check a Verilog or SystemVerilog file with Verilator's lint; modules in rtl and verif are found by name.",
            path=_PATH,
        ),
        _tool_definition(
            run_command,
            "Run a shell command in the folder of the workspace. There is no network. iverilog, vvp, verilator, yosys"
            " and python3 with cocotb are there. Files that the command leaves stay, but for those in rundir, where"
            " it can build.",
            command="For /bin/sh, such as: iverilog -g2012 -o rundir/sim rtl/*.sv verif/tb.sv && vvp rundir/sim",
        ),
        _tool_definition(submit, "Submit the files as they are, and end the work. Do so when you are sure of them."),
    ]
    if (allowed := workspace.runs_allowed) != 0:
        often = "as often as you like" if allowed is None else f"{allowed} times at most"
        tool_defs.append(_tool_definition(run_hidden_tests, f"Run the hidden tests on the files as they are, {often}."))
    return tool_defs


def python_tool(workspace: AgentWorkspace) -> ToolDef:
    """The one tool of a model that is asked a question and may calculate (CS-Bench's table 26)."""

    async def python(script: str) -> str:
        return await workspace.run_python(script)

    return _tool_definition(
        python,
        "Run a Python script and read what it prints. Each script begins from scratch; there is no network.",
        script="The whole script. Print what you want to know.",
    )


def _tool_definition(tool_function: Callable[..., Awaitable[str]], description: str, **parameters: str) -> ToolDef:
    return ToolDef(
        tool_function, name=tool_function.__name__, description=description, parameters=parameters, parallel=False
    )
