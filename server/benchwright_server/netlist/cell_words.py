"""What an engineer calls the cells and pins of a netlist that Yosys names in its own way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_CELLS_BY_WORD = {
    "adder": "add:+ alu fa lcu macc macc_v2",
    "subtractor": "sub:-",
    "negation": "neg:-",
    "multiplier": "mul:*",
    "divider": "div:/ divfloor:/ mod:% modfloor:%",
    "power": "pow:**",
    "equality comparator": "eq:== eqx:=== ne:!= nex:!==",
    "magnitude comparator": "ge:>= gt:> le:<= lt:<",
    "AND": "and:& logic_and:&&",
    "OR": "or:| logic_or:||",
    "XOR": "xor:^ xnor:~^",
    "inverter": "not:~ logic_not:!",
    "reduction AND": "reduce_and:&",
    "reduction OR": "reduce_bool:| reduce_or:|",
    "reduction XOR": "reduce_xnor:~^ reduce_xor:^",
    "multiplexer": "bmux mux pmux",
    "demultiplexer": "demux",
    "shifter": "shift shiftx shl:<< shr:>> sshl:<<< sshr:>>>",
    "register": "adff adffe aldff aldffe dff dffe dffsr dffsre ff sdff sdffce sdffe",
    "latch": "adlatch dlatch dlatchsr sr",
    "memory": "mem mem_v2 meminit meminit_v2 memrd memrd_v2 memwr memwr_v2",
    "tri-state buffer": "tribuf",
    "buffer": "buf pos",
}
"""Yosys' types without `$` by what they do, with the operator that they stand for."""
_WORD_AND_OPERATOR = {
    cell_type: (word, operator)
    for word, cell_types in _CELLS_BY_WORD.items()
    for cell_type, _, operator in (cell_type.partition(":") for cell_type in cell_types.split())
}
_PIN_WORDS: dict[str, dict[str, str]] = {
    "multiplexer": {"A": "0", "B": "1", "S": "select", "Y": "out"},
    "$pmux": {"A": "default", "B": "cases", "S": "select", "Y": "out"},
    "$bmux": {"A": "in", "S": "select", "Y": "out"},
    "demultiplexer": {"A": "in", "S": "select", "Y": "out"},
    "shifter": {"A": "in", "B": "by", "Y": "out"},
    "buffer": {"A": "in", "Y": "out"},
    "memory": {
        f"{side}_{pin}": f"{word} {pin_word}"
        for side, word in {"RD": "read", "WR": "write"}.items()
        for pin, pin_word in {
            "CLK": "clock",
            "EN": "enable",
            "ADDR": "address",
            "DATA": "data",
            "ARST": "asynchronous reset",
            "SRST": "reset",
        }.items()
    },
    "tri-state buffer": {"A": "in", "EN": "enable", "Y": "out"},
}
_STORAGE_PINS = {
    "CLK": "clock",
    "EN": "enable",
    "ARST": "reset",
    "SRST": "reset",
    "ALOAD": "load",
    "AD": "load value",
    "SET": "set",
    "CLR": "clear",
}
_STORAGE_WORDS = ("register", "latch")
_MEMORY_RESETS = ("RD_ARST", "RD_SRST")


def cell_word(cell_type: str) -> str:
    """The noun of what a cell does; the module's name of a black box."""
    if not cell_type.startswith("$"):
        return cell_type.removeprefix("\\")
    return _WORD_AND_OPERATOR.get(cell_type.removeprefix("$"), ("other logic", ""))[0]


def cell_description(cell: Mapping[str, Any]) -> str:
    """The noun of what a cell does, with what resets or enables a register."""
    word = cell_word(cell["type"])
    if word not in _STORAGE_WORDS:
        return word
    pins = cell["connections"]
    additions = {
        "asynchronous reset": "ARST" in pins or _loads_constant(cell),
        "asynchronous load": "ALOAD" in pins and not _loads_constant(cell),
        "synchronous reset": "SRST" in pins,
        "set": "SET" in pins,
        "clear": "CLR" in pins,
        "enable": "EN" in pins and word == "register",
    }
    with_what = " and ".join(addition for addition, is_there in additions.items() if is_there)
    return f"{word} with {with_what}" if with_what else word


def pin_words(cell: Mapping[str, Any]) -> dict[str, str]:
    """The names of a cell's pins as an engineer says them, by Yosys' names, without pins that do nothing."""
    bits_by_pin: Mapping[str, Sequence[int | str]] = cell["connections"]
    pins = [name for name, bits in bits_by_pin.items() if bits]
    kind = str(cell["type"])
    word = cell_word(kind)
    if not kind.startswith("$"):
        return {name: name for name in pins}
    if word in _STORAGE_WORDS:
        words = _STORAGE_PINS
        if _loads_constant(cell):
            words = {**words, "ALOAD": "reset", "AD": "reset value"}
        return {name: words.get(name, name) + _inverted_polarity_suffix(cell, name) for name in pins}
    if word == "memory":
        pins = [name for name in pins if name not in _MEMORY_RESETS or set(bits_by_pin[name]) != {"0"}]
    _, operator = _WORD_AND_OPERATOR.get(kind.removeprefix("$"), ("", ""))
    if operator:
        operands = [name.lower() for name in ("A", "B") if name in pins]
        result = f" {operator} ".join(operands) if len(operands) > 1 else f"{operator}{operands[0]}"
        return {name: result if name == "Y" else name.lower() for name in pins}
    words = _PIN_WORDS.get(kind) or _PIN_WORDS.get(word, {})
    return {name: words.get(name, name) + _inverted_polarity_suffix(cell, name) for name in pins}


def _loads_constant(cell: Mapping[str, Any]) -> bool:
    """True of a register that slang's front end gave an asynchronous load where the source has a reset."""
    return all(isinstance(bit, str) for bit in cell["connections"].get("AD", [0]))


def _inverted_polarity_suffix(cell: Mapping[str, Any], pin: str) -> str:
    if int(cell["parameters"].get(f"{pin}_POLARITY", "1"), 2):
        return ""
    return " (falling)" if pin.endswith("CLK") else " (low)"
