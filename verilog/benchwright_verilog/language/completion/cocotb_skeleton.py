"""The beginning of a cocotb test for a module: its clocks run, its resets are released, and one test passes."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pyslang
from pyslang.syntax import ModuleDeclarationSyntax

from benchwright_verilog.language.explanation.headers import Formal, Header, header_of_syntax
from benchwright_verilog.semantics.compilation.trees import parse_alone
from benchwright_verilog.syntax.surrogates import encode_text

_CLOCK = re.compile(r"(?:i_)?(?:[a-z0-9]+_)?(?:clk|clock)(?:_?[a-z0-9]+)?(?:_i)?|[a-z]clk", re.IGNORECASE)
_RESET = re.compile(r"(?:i_)?(?:[a-z0-9]+_)?a?(?:rst|reset)(?:_?[a-z0-9]+)?(?:_[a-z0-9]+)?", re.IGNORECASE)
_ACTIVE_LOW = re.compile(r"(?:n|_ni|_n_i|_b|_l)$|rst_?n|reset_?n|nrst|nreset|n_?rst", re.IGNORECASE)
_WIDE = re.compile(r"\[")
_PERIOD_NS = 10
_CYCLES = 2


@dataclass(frozen=True)
class Skeleton:
    """A test file."""

    module_name: str
    text: str


def cocotb_test_skeleton(design_text: str, module_name: str | None = None) -> Skeleton | None:
    """A test file for a module of a design file; None if it has no such module with ports.

    Args:
        design_text: Text of the design file.
        module_name: Its name; None for the first that has ports.
    """
    sources = pyslang.SourceManager()
    root = parse_alone(encode_text(design_text).decode(), sources).root
    top_members = [root] if isinstance(root, ModuleDeclarationSyntax) else list(getattr(root, "members", ()))
    for top_member in top_members:
        if not isinstance(top_member, ModuleDeclarationSyntax) or top_member.kind.name != "ModuleDeclaration":
            continue
        header = header_of_syntax(top_member, sources)
        if header.name == module_name or (module_name is None and header.formals):
            return Skeleton(header.name, "\n".join(_test_lines(header)) + "\n")
    return None


def _test_lines(header: Header) -> Iterator[str]:
    input_ports = [port for port in header.formals if port.direction == "input" and not _has_no_single_value(port)]
    outputs = [port for port in header.formals if port.direction == "output" and not _has_no_single_value(port)]
    clocks = [port for port in input_ports if _CLOCK.fullmatch(port.name) and not _is_vector(port)]
    resets = [
        port for port in input_ports if _RESET.fullmatch(port.name) and not _is_vector(port) and port not in clocks
    ]
    other_inputs = [port for port in input_ports if port not in (*clocks, *resets)]
    wait = (
        f"await RisingEdge({_handle_expression(clocks[0].name)})" if clocks else f'await Timer({_PERIOD_NS}, unit="ns")'
    )
    yield f'"""Tests of {header.name}."""'
    yield ""
    yield "import cocotb"
    if clocks:
        yield "from cocotb.clock import Clock"
    yield f"from cocotb.triggers import {'RisingEdge' if clocks else 'Timer'}"
    yield from ("", "", "async def start(dut):")
    does = [*(["starts the clock"] if clocks else []), *(["sets the inputs"] if other_inputs else [])]
    does += ["resets the design"] if resets else []
    yield f'    """{(", ".join(does) or "waits for the outputs").capitalize()}."""'
    for clock_port in clocks:
        yield f'    cocotb.start_soon(Clock({_handle_expression(clock_port.name)}, {_PERIOD_NS}, unit="ns").start())'
    for port in other_inputs:
        yield f"    {_handle_expression(port.name)}.value = 0"
    for port in resets:
        yield f"    {_handle_expression(port.name)}.value = {0 if _is_active_low(port) else 1}"
    if resets:
        yield f"    for _ in range({_CYCLES}):"
        yield f"        {wait}"
        for port in resets:
            yield f"    {_handle_expression(port.name)}.value = {1 if _is_active_low(port) else 0}"
    yield f"    {wait}"
    yield from ("", "", "@cocotb.test()", "async def starts(dut):")
    yield f'    """{header.name} {"comes out of reset" if resets else "starts"}."""'
    yield "    await start(dut)"
    if outputs:
        yield f"    # Drive the inputs, wait, and compare: assert {_handle_expression(outputs[0].name)}.value == 0"
    for port in outputs:
        yield f'    dut._log.info("{port.name} = %s", {_handle_expression(port.name)}.value)'


def _handle_expression(port_name: str) -> str:
    is_plain = port_name.isidentifier() and not keyword.iskeyword(port_name) and not port_name.startswith("_")
    return f"dut.{port_name}" if is_plain else f'dut["{port_name}"]'


def _is_active_low(port: Formal) -> bool:
    return _ACTIVE_LOW.search(port.name) is not None


def _has_no_single_value(port: Formal) -> bool:
    """True if it has dimensions behind its name, is an interface or is text: what has no single value to set."""
    dimensions = port.declaration_text.rpartition(port.name)[2]
    return bool(_WIDE.search(dimensions)) or port.declaration_text.split()[1:2] in (["string"], ["event"], ["chandle"])


def _is_vector(port: Formal) -> bool:
    return bool(_WIDE.search(port.declaration_text.rpartition(port.name)[0]))
