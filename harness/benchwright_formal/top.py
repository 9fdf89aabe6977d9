"""The module that is compared, with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Top:
    """The top module of a design."""

    name: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    """Those that do not have their defaults."""

    def instance_text(self, instance_name: str, port_connections: str = "") -> str:
        """An instance of it in Verilog; the same for Yosys and a simulator, so that each value has the same type.

        Args:
            instance_name: Name of the instance.
            port_connections: The connections of its ports.
        """
        parameter_values = ", ".join(f".{parameter}({value})" for parameter, value in self.parameters.items())
        return (
            f"{self.name} {f'#({parameter_values}) ' if parameter_values else ''}{instance_name}({port_connections});"
        )
